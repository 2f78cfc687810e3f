// Counters of one kernel, and the time they explain: T = instructions * CPI / (f * P) with a CPI
// that hardly changes with P.
#pragma once

#include <vector>

#include "fitter/experiment.h"
#include "fitter/law_catalog.h"
#include "fitter/model.h"

namespace apmt {

/// Laws of every counter that the kernel has in all runs, its CPU time apart.
std::vector<MetricModel> fit_metrics(const Experiment& experiment, const KernelId& id,
                                     const std::vector<double>& work, const LawCatalog& catalog);

/// Instructions as one family of counts for each law that they may follow; none without them, or
/// where no law comes near.
std::vector<CountFamily> families_of(const std::vector<MetricModel>& metrics);

}  // namespace apmt
