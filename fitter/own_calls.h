// What part of the program's communication the calls of one kernel are.
#pragma once

#include <vector>

#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// For every kernel, by the caller of each row of the MPI table in the runs with most processes.
/// Kernels that share a name, which callers are known by, and the rest of small functions have
/// none.
void fill_own_calls(const Experiment& experiment, std::vector<KernelModel>* kernels);

}  // namespace apmt
