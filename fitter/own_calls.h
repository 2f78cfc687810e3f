// What part of the program's communication the calls of one kernel are.
#pragma once

#include <optional>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// For every kernel, by the caller of each row of the MPI table; `work` is D at every point. Points
/// that are oversubscribed or of one process say nothing. Kernels that share a name, which callers
/// are known by, have none; the rest of small functions has all that no kernel makes.
void fill_own_calls(const Experiment& experiment, const std::vector<double>& work,
                    std::vector<KernelModel>* kernels);

/// Seconds per rank in the calls of one kernel.
struct OwnSeconds {
  std::optional<Measured> transfer;
  std::optional<Measured> wait;
};

/// The same kernels in other runs: at each point, of each of `kernels` that makes calls.
std::vector<std::vector<OwnSeconds>> own_seconds(const Experiment& experiment,
                                                 const std::vector<KernelModel>& kernels);

}  // namespace apmt
