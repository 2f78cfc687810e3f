// Adds the results of kernel analyses (apmt analyze) to the runs of an experiment.
#pragma once

#include <vector>

#include "fitter/model/machine_costs.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Adds counters "flops", "hit_L1", "hit_L2", "hit_LLC" and "acc_mm" (memory accesses, by what
/// serves them) to the kernels that the analyses cover, unless a run has counted accesses itself.
/// `work` is the work D at every point; the working set of a rank is taken to be D divided by the
/// number of ranks. A kernel that was analysed at several working sets gets counters at all points,
/// others only at the working set of their analysis. The counts of one rank are used for all ranks;
/// its instructions are not, because the analysed build is not the recorded one. Analyses of
/// other work are left out with a warning. The result has no analyses any more.
Experiment with_analysed_counts(const Experiment& experiment, const std::vector<double>& work,
                                const CacheSizes& caches);

}  // namespace apmt
