// Adds what analyses say about an experiment's kernels to its runs: floating-point operations, and
// the accesses that each level of the caches serves.
#pragma once

#include <string>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/memory_costs.h"

namespace apmt {

/// The experiment with counters "flops", "hit_L1", "hit_L2", "hit_LLC" and "acc_mm" in the kernels
/// that its analyses cover, at all points, as far as no run has counted accesses itself. The
/// working set of a rank is its part of the `work` (by point). A kernel analysed at two working
/// sets or more gets counters at all points, otherwise only where it was analysed. Counts of one
/// rank stand for all ranks. Instructions are not taken from an analysis, because those of its code
/// are not those of the program. What was not used is said in the warnings.
Experiment with_analysed_counts(const Experiment& experiment, const std::vector<double>& work,
                                const CacheSizes& caches);

}  // namespace apmt
