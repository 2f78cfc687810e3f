// The likeliest costs, with standard deviations from their covariance; Ceres finds them. One
// least-squares problem finds the factors on the latency and bandwidth of memory, together with the
// costs of core and memory in each kernel. The costs of messages, bytes or steps are a separate
// problem for each law of communication, because the law shares no cost with anything else.
//
// Discrete choices are not made here: the form of each kernel and the scatter of its times come
// from sums over all sets of costs (shared_costs.h), and the family of counts comes from the
// posterior of the law (recipe.h).
#pragma once

#include <optional>
#include <vector>

#include "fitter/computation/shared_costs.h"

namespace apmt {

/// The memory of the machine and the kernels that access it.
struct MemoryForMode {
  struct Kernel {
    const MemoryEvidence* evidence = nullptr;
    NormalPrior core;  // of ln(seconds of the core per unit of computation)
    SharedCosts::LikeliestForm form;
    std::optional<KernelCostEstimates>* result = nullptr;
  };
  FactorPriors priors;
  double ln_latency = 0;  // start values of the factors
  double ln_transfer = 0;
  std::vector<Kernel> kernels;
};

/// Returns the costs of the memory and fills in those of the kernels, unless the problem has no
/// solution.
std::optional<SharedCostEstimates> fit_memory_mode(const MemoryForMode& memory);

/// Fills in the costs of the likeliest family of counts. Leaves laws without counts, and laws of
/// noise-free times (kExact, kUnitCosts), as they are.
void fit_message_mode(TimeLaw* law);

}  // namespace apmt
