// The time of functions that the compiler inlined into kernels.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/reader/symbols.h"

namespace apmt {

/// Fills `inlined` of the kernels made by fold_kernels. A place with less than a thousandth of its
/// kernel's time is added to the function around it, so a profile stays small whatever the compiler
/// inlined.
void fold_inlined(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile);

}  // namespace apmt
