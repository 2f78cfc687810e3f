// The share of one kernel's own calls in the communication of the program.
#pragma once

#include <optional>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// Fills in the calls of every kernel, from the caller of each row of the MPI table; `work` is D at
/// every point. Oversubscribed points and those with one process are not used. Callers are known by
/// name only, so kernels that share a name get no calls. The rest gets the calls that no kernel
/// makes.
void fill_own_calls(const Experiment& experiment, const std::vector<double>& work,
                    std::vector<KernelModel>* kernels);

/// Seconds per rank in the MPI calls of one kernel.
struct OwnSeconds {
  std::optional<Measured> transfer;
  std::optional<Measured> wait;
};

/// The calls of the same kernels in other runs: for each point, those of each of `kernels`.
std::vector<std::vector<OwnSeconds>> own_seconds(const Experiment& experiment,
                                                 const std::vector<KernelModel>& kernels);

}  // namespace apmt
