// Counters of one kernel, and the time they explain: T = instructions * CPI / (f * P) with a CPI
// that hardly changes with P.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/law_catalog.h"
#include "fitter/memory_costs.h"
#include "fitter/model.h"

namespace apmt {

/// Where the functions of an experiment, which must outlive it, stand in its runs.
class FunctionIndex {
 public:
  explicit FunctionIndex(const Experiment& experiment);
  /// In the order of the run.
  std::vector<const KernelProfile*> in_run(std::size_t run, const std::set<KernelId>& ids) const;

 private:
  const Experiment& experiment_;
  std::vector<std::map<KernelId, std::vector<std::size_t>>> places_;  // by run
};

/// Laws of every counter that a kernel has in all runs, its CPU time apart. A kernel is one
/// function, or several together; then those without a counter may take a small part of their time.
std::vector<MetricModel> fit_metrics(const Experiment& experiment, const FunctionIndex& functions,
                                     const std::set<KernelId>& ids, const std::vector<double>& work,
                                     const LawCatalog& catalog);

/// Instructions as one family of counts for each law that they may follow; none without them, or
/// where no law comes near. Where accesses to memory are counted as well, each is accompanied by a
/// family in which both have their cost.
std::vector<CountFamily> families_of(const std::vector<MetricModel>& metrics,
                                     const MemoryCosts& costs);

}  // namespace apmt
