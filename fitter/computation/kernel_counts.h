// Laws of a kernel's counters, and the time that its instructions explain: T = instructions * CPI /
// (f * P). CPI (cycles per instruction) hardly changes with P; f is the core frequency. Simulations
// with larger caches (apmt simulate --ahead) show a kernel's accesses to memory in runs with more
// processes than were profiled.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
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
  std::vector<std::map<KernelId, std::vector<const KernelProfile*>>> functions_;  // by run
};

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

/// The counts of a kernel, over all ranks, in a simulation of a run with larger caches.
struct CountsWithLargerCaches {
  std::size_t point = 0;                 // the run's, in Experiment::points
  double factor = 1;                     // on the size of all caches
  std::map<std::string, double> counts;  // by metric
};

/// The simulations of the functions that a kernel stands for, one for each point and factor. A
/// count that some of these functions lack is absent, unless they take little of the kernel's time.
std::vector<CountsWithLargerCaches> larger_caches_of(const Experiment& experiment,
                                                     const FunctionIndex& functions,
                                                     const std::set<KernelId>& ids);

/// Continues the laws of a kernel's counts beyond the profiled runs (law_ahead.h). A process of a
/// run with k times as many processes has 1/k of the work. If its data shrink as much, it finds in
/// the caches what a process of the simulated run finds in caches k times as large. The sum over
/// all ranks grows like the instructions. This needs a simulation that describes a profiled point.
/// If it gives clearly another time of all accesses than the counts of this point, the data of this
/// kernel do not shrink like its work; then returns false and changes nothing. `times` are those of
/// the kernel.
bool continue_ahead(const std::vector<CountsWithLargerCaches>& simulations,
                    const std::vector<FitPoint>& times, const MemoryCosts& costs,
                    std::vector<MetricModel>* metrics);

}  // namespace apmt
