// The costs of one kernel that agree with its times: a grid with the likelihood of each set of
// costs. The prior of the memory's cost is applied later, because it depends on two factors that
// all kernels share (shared_costs.h).
#pragma once

#include <vector>

#include "fitter/computation/memory_evidence.h"
#include "fitter/times/recipe_priors.h"

namespace apmt {

/// The latencies and the seconds per byte in the machine profile are multiplied by factors. These
/// are the prior standard deviations of the logarithms of the factors.
struct FactorPriors {
  double latency_sd = 0;
  double transfer_sd = 0;
};
FactorPriors factor_priors(const MemoryCosts& costs);

/// The core waits for at least this share (as ln) of the time of a kernel's accesses or late
/// transfers: fifty accesses overlap, as many as a core can have in flight. The largest share is 1:
/// each access waits for the one before it. ln of the share has a uniform prior between these
/// extremes.
inline constexpr double kLnMostOverlap = -3.912023005428146;  // ln 0.02
/// A kernel's own deviation from the shared factors: standard deviation of its logarithm.
double own_deviation();

/// The prior density of ln_cost = ln(memory's cost / the shared factor that applies to it). `sd`:
/// the standard deviation of a kernel's deviation from this factor.
double memory_prior(MemoryForm form, double ln_cost, double sd);

/// A set of costs.
struct CostNode {
  MemoryForm form = MemoryForm::kWaits;
  double weight = 0;     // likelihood times prior of the core's cost; at most 1
  double ln_core_s = 0;  // seconds per unit of computation
  double ln_memory = 0;  // `blocked`, `exposed` or `streamed`
  double scatter = 0;    // of ln time about the form, posterior mean
  double prior = 0;  // prior weight of the costs, with the shared factors at their expected values

  MemorySplit::Costs costs() const;
};

struct KernelCosts {
  std::vector<CostNode> nodes;  // none if no costs explain the times, or nothing accesses memory
  bool accesses_memory = false;
  NormalPrior core;  // prior of ln(seconds of the core per unit of computation)
  /// How likely the times are, given costs drawn from the prior but for their level, relative to
  /// costs drawn from the posterior: the factor by which Bayesian statistics penalise a law that
  /// had to choose its costs. At most 1; 1 if nothing accesses memory.
  double occam = 1;
};

/// `frequency_hz`: of the profiled runs; `is_frequency_known`: false if it is assumed.
KernelCosts kernel_costs(const MemoryEvidence& evidence, const FactorPriors& factors,
                         double frequency_hz, bool is_frequency_known);

/// What memory takes of an observation's time if memory's cost is 1.
double memory_of(const MemoryObservation& o, MemoryForm form);

}  // namespace apmt
