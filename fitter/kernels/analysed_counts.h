// Adds the results of kernel analyses (apmt analyze) to the runs of an experiment.
#pragma once

#include <vector>

#include "fitter/model/machine_costs.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Returns the experiment with counters "flops", "hit_L1", "hit_L2", "hit_LLC" and "acc_mm" (memory
/// accesses, by the cache level, or memory, that serves them) added to the kernels that its
/// analyses cover. `work` is the work D (docs/glossary.md) at every point; the working set of a
/// rank is taken to be D divided by the number of ranks. A kernel that was analysed at two or more
/// working sets gets counters at all points; any other kernel gets them only at points with the
/// working set of its analysis. The counts of one rank are used for all ranks. Nothing is added if
/// any run has itself counted memory accesses. Instructions are not taken from an analysis, because
/// the analysed build is not the recorded one. The warnings of the result say what was not used.
Experiment with_analysed_counts(const Experiment& experiment, const std::vector<double>& work,
                                const CacheSizes& caches);

}  // namespace apmt
