// The time of functions that the compiler inlined into kernels.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/reader/symbols.h"

namespace apmt {

/// Fills `inlined` of the kernels made by fold_kernels. If an inlined function has less than a
/// thousandth of its kernel's time, its time is added to the function that contains it. So a
/// profile stays small, however many functions the compiler inlined.
void fold_inlined(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile);

}  // namespace apmt
