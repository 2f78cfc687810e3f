#include "fitter/own_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace apmt {
namespace {

double OwnCalls::*part_of(const std::string& op_class) {
  if (op_class == "p2p" || op_class == "completion") return &OwnCalls::p2p;
  if (op_class == "collective" || op_class == "rooted") return &OwnCalls::coll;
  return &OwnCalls::other;
}

std::set<std::string> unique_names(const std::vector<KernelModel>& kernels) {
  std::map<std::string, int> times;
  for (const KernelModel& k : kernels)
    if (k.role != KernelRole::kRest) times[k.name] += 1;
  std::set<std::string> names;
  for (const auto& [name, count] : times)
    if (count == 1) names.insert(name);
  return names;
}

}  // namespace

void fill_own_calls(const Experiment& experiment, std::vector<KernelModel>* kernels) {
  const auto largest = std::max_element(
      experiment.points.begin(), experiment.points.end(),
      [](const ExperimentPoint& a, const ExperimentPoint& b) { return a.procs < b.procs; });
  if (largest == experiment.points.end() || largest->procs < 2) return;
  std::map<std::string, OwnCalls> seconds;
  OwnCalls all;
  for (const std::size_t r : largest->runs)
    for (const MpiRow& row : experiment.runs[r].mpi) {
      double OwnCalls::*const part = part_of(row.op_class);
      seconds[row.caller].*part += row.time_s;
      all.*part += row.time_s;
    }
  const std::set<std::string> names = unique_names(*kernels);
  for (KernelModel& kernel : *kernels) {
    const auto its = seconds.find(kernel.name);
    if (its == seconds.end() || kernel.role == KernelRole::kRest || !names.contains(kernel.name))
      continue;
    for (double OwnCalls::*part : {&OwnCalls::p2p, &OwnCalls::coll, &OwnCalls::other})
      if (all.*part > 0) kernel.calls.*part = its->second.*part / all.*part;
  }
}

}  // namespace apmt
