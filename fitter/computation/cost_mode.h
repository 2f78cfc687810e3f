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

/// A kernel that accesses memory, and where its costs are filled in.
struct KernelForMode {
  const MemoryEvidence& evidence;
  const KernelCosts& costs;
  std::optional<KernelCostEstimates>* result;
};

/// Returns the costs of the memory and fills in those of the kernels, unless the problem has no
/// solution. `shared` comes from the same kernels, with the priors of its two factors.
std::optional<SharedCostEstimates> fit_memory_mode(const SharedCosts& shared,
                                                   const FactorPriors& priors,
                                                   const std::vector<KernelForMode>& kernels);

/// Fills in the costs of the likeliest family of counts. Leaves laws without counts, and laws of
/// noise-free times (kExact, kUnitCosts), as they are.
void fit_message_mode(TimeLaw* law);

}  // namespace apmt
