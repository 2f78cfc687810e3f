// Details of kernels: the functions inlined into them, and the source lines with most samples.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/reader/symbols.h"

namespace apmt {

/// Fills `lines` of the kernels made by fold_kernels.
void fold_lines(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile);

}  // namespace apmt
