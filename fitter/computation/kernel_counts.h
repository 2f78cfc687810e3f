// Laws of a kernel's counters, and the time that its instructions explain: T = instructions * CPI /
// (f * P). CPI (cycles per instruction) hardly changes with P; f is the core frequency.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "fitter/laws/law_catalog.h"
#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Finds functions by id in each run of an experiment. The experiment must outlive the index.
class FunctionIndex {
 public:
  explicit FunctionIndex(const Experiment& experiment);
  /// The functions with these ids, in the order of the run's kernels.
  std::vector<const KernelProfile*> in_run(std::size_t run, const std::set<KernelId>& ids) const;

 private:
  const Experiment& experiment_;
  std::vector<std::map<KernelId, std::vector<std::size_t>>> places_;  // by run
};

/// A count is used although some of a kernel's functions lack it if they take at most this share of
/// its time.
inline constexpr double kMostUncounted = 0.1;

/// Laws of counts with a larger relative residual explain no time.
inline constexpr double kWorstLawOfTime = 0.05;

/// A law for each counter that the kernel has in all runs (if simulated: in one run of each point);
/// the CPU time gets none. With kTimes, only counters that may explain times get laws. A kernel may
/// stand for several functions. A counter that some of these functions lack is used only if the
/// functions without it take a small part of the kernel's time.
std::vector<MetricModel> fit_metrics(const Experiment& experiment, const FunctionIndex& functions,
                                     const std::set<KernelId>& ids, const std::vector<double>& work,
                                     const LawCatalog& catalog, FitDepth depth);

/// One family for each law that the instructions may follow. If instructions were not counted,
/// floating-point operations take their place. There is no family if neither was counted or no law
/// fits well. If accesses to memory were counted as well, each family has a second version, in
/// which an instruction and an access each have a cost.
std::vector<CountFamily> families_of(const std::vector<MetricModel>& metrics,
                                     const MemoryCosts& costs);

}  // namespace apmt
