// How much of a recorded run's compute time is spent in the kernels of an analysis.
#pragma once

#include <vector>

#include "kernels/analysis.h"
#include "profile/run_profile.h"

namespace apmt {

/// The share of the run's compute time in each kernel, in the order of Analysis::kernels: in its
/// own code and in code that was inlined into it, even where the recorded build inlined the kernel
/// into another function. Throws InputError if the run is of another input than the analysis, or if
/// no time is in kernels.
std::vector<double> kernel_shares(const RunProfile& run, const kernels::Analysis& analysis);

}  // namespace apmt
