// Below the kernels: what was inlined into them, and the source lines with most samples.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/reader/symbols.h"

namespace apmt {

/// Fills `lines` of the kernels, which fold_kernels has made.
void fold_lines(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile);

}  // namespace apmt
