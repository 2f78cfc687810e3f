// When each rank started, computed and ended.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Nothing for a time that is not known.
double seconds(std::int64_t ns);

/// Fills `times` but for what samples and MPI calls tell.
void fold_times(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
