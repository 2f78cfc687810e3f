// Adds details to kernels: the source lines with the most samples, and the functions inlined there.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/reader/symbols.h"

namespace apmt {

/// Fills `lines` of the kernels. Must be called after fold_kernels().
void fold_lines(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile);

}  // namespace apmt
