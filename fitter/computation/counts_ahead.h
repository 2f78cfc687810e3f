// What simulations with larger caches (apmt simulate --ahead) say about a kernel's accesses to
// memory in runs with more processes than were profiled.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fitter/computation/kernel_counts.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

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
