// Describes how samples were taken, and determines the grade of the run: A to D, depending on what
// was measured (README.md has a table).
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

void fold_sampling(const std::vector<RawRecording>& ranks, RunProfile* profile);

/// Determines the grade from the source of samples and the kernels' counters.
Grade grade_of(const RunProfile& profile);

}  // namespace apmt
