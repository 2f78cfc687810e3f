// The likeliest values of all costs of a program together: latency and bandwidth of the memory, the
// core's and the memory's cost in each kernel, and the costs of messages, bytes and steps. They are
// one least-squares problem, which Ceres solves, with standard deviations from its covariance.
//
// Discrete choices are not made here: the form of each kernel and the scatter of its times come
// from the sums over all of them (shared_costs.h), the family of counts from the posterior of the
// law (recipe.h).
#pragma once

#include <vector>

#include "fitter/shared_costs.h"

namespace apmt {

/// The memory of the machine and the kernels that access it.
struct MemoryForMode {
  struct Kernel {
    const MemoryEvidence* evidence = nullptr;
    NormalPrior core;  // of ln(seconds of the core per unit of computation)
    SharedCosts::LikeliestForm form;
    KernelCostEstimates* result = nullptr;
  };
  FactorPriors priors;
  double ln_latency = 0;  // start values of the factors
  double ln_transfer = 0;
  std::vector<Kernel> kernels;
  SharedCostEstimates* result = nullptr;
};

/// Fills in the results of the kernels and of the memory, and the costs in the likeliest family of
/// each law. `laws`: of communication; those without counts, and exact ones, are left as they are.
void fit_cost_mode(const MemoryForMode& memory, const std::vector<TimeLaw*>& laws);

}  // namespace apmt
