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

/// The index of each function in each run of an experiment. The experiment must outlive it.
class FunctionIndex {
 public:
  explicit FunctionIndex(const Experiment& experiment);
  /// In the order of the run.
  std::vector<const KernelProfile*> in_run(std::size_t run, const std::set<KernelId>& ids) const;

 private:
  const Experiment& experiment_;
  std::vector<std::map<KernelId, std::vector<std::size_t>>> places_;  // by run
};

/// Which counters get laws: all, or those that may explain times (families_of).
enum class CountersFor { kAll, kTimes };

/// Laws of the counters that a kernel has in all runs, its CPU time apart. A kernel is one
/// function, or several together; then those without a counter may take a small part of their time.
std::vector<MetricModel> fit_metrics(const Experiment& experiment, const FunctionIndex& functions,
                                     const std::set<KernelId>& ids, const std::vector<double>& work,
                                     const LawCatalog& catalog, CountersFor which);

/// One family for each law that the instructions may follow; none if instructions were not counted
/// or no law fits well. If accesses to memory were counted too, each family has a second version,
/// in which instructions and accesses have a cost each.
std::vector<CountFamily> families_of(const std::vector<MetricModel>& metrics,
                                     const MemoryCosts& costs);

}  // namespace apmt
