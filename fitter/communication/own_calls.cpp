#include "fitter/communication/own_calls.h"

#include <algorithm>
#include <map>
#include <string>

#include "fitter/model/model_parts.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

using Laws = std::vector<CommModel>;

/// The seconds in the MPI calls of one function, summed over all ranks.
struct InCalls {
  double transfer = 0;
  double wait = 0;
  std::vector<double> by_law;

  void add(const InCalls& other) {
    transfer += other.transfer;
    wait += other.wait;
    by_law.resize(std::max(by_law.size(), other.by_law.size()), 0);
    for (std::size_t i = 0; i < other.by_law.size(); ++i) by_law[i] += other.by_law[i];
  }
};

/// The seconds in the calls of a row that the law describes.
double seconds_of(const CommModel& law, const MpiRow& row, double waited_s) {
  if (!law.group.empty() && std::find(law.ops.begin(), law.ops.end(), row.op) == law.ops.end())
    return 0;
  if (law.part == comm_name(Part::kCommWait)) return waited_s;
  const Part part = is_of_messages(row.op_class)      ? Part::kCommP2p
                    : is_of_collectives(row.op_class) ? Part::kCommColl
                                                      : Part::kCommOther;
  return law.part == comm_name(part) ? row.time_s - waited_s : 0;
}

/// The time in calls of one run, by the name of the calling function.
using Callers = std::map<std::string, InCalls>;

Callers callers_in(const RunProfile& run, const MessageCosts& costs, const Laws& laws) {
  const std::vector<double> waited_s = waiting_in_rows(run, costs);
  Callers callers;
  for (std::size_t i = 0; i < run.mpi.size(); ++i) {
    const MpiRow& row = run.mpi[i];
    InCalls its{row.time_s - waited_s[i], waited_s[i], {}};
    for (const CommModel& law : laws) its.by_law.push_back(seconds_of(law, row, waited_s[i]));
    callers[row.caller].add(its);
  }
  return callers;
}

bool has_calls(const ExperimentPoint& point) { return point.procs > 1 && !point.oversubscribed; }

/// The callers in each run of each point; none at points that are not used.
std::vector<std::vector<Callers>> callers_at_points(const Experiment& e, const Laws& laws) {
  const MessageCosts costs(e.runs);
  std::vector<std::vector<Callers>> points(e.points.size());
  for (std::size_t i = 0; i < e.points.size(); ++i)
    if (has_calls(e.points[i]))
      for (const std::size_t r : e.points[i].runs)
        points[i].push_back(callers_in(e.runs[r], costs, laws));
  return points;
}

/// Adds up the MPI time of the functions that belong to a kernel: the function with the kernel's
/// name or, for the rest, all functions that are not kernels.
class CallersOf {
 public:
  explicit CallersOf(const std::vector<KernelModel>& kernels) {
    for (const KernelModel& k : kernels)
      if (k.role != KernelRole::kRest) kernels_named_[k.name] += 1;
  }

  InCalls seconds(const KernelModel& kernel, const Callers& callers) const {
    InCalls sum;
    if (kernel.role != KernelRole::kRest) {
      const auto found = callers.find(kernel.name);
      return found != callers.end() && kernels_named_.at(kernel.name) == 1 ? found->second : sum;
    }
    if (kernel.functions == 0) return sum;  // computation is one block: nothing was sampled
    for (const auto& [caller, its] : callers)
      if (!kernels_named_.contains(caller)) sum.add(its);
    return sum;
  }

 private:
  std::map<std::string, int> kernels_named_;
};

/// The seconds in each kernel's own calls, as [point][kernel].
std::vector<std::vector<OwnSeconds>> seconds_in_calls(
    const Experiment& e, const std::vector<KernelModel>& kernels,
    const std::vector<std::vector<Callers>>& callers, const CallersOf& its_callers) {
  std::vector<std::vector<OwnSeconds>> points;
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    std::vector<OwnSeconds>& row = points.emplace_back(kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      std::vector<double> transfer_s, wait_s;
      double sum_s = 0;
      for (std::size_t r = 0; r < callers[i].size(); ++r) {
        const double ranks = recorded_ranks(e.runs[e.points[i].runs[r]]);
        const InCalls its = its_callers.seconds(kernels[k], callers[i][r]);
        transfer_s.push_back(its.transfer / ranks);
        wait_s.push_back(its.wait / ranks);
        sum_s += its.transfer + its.wait;
      }
      if (sum_s > 0) row[k] = {measured(transfer_s), measured(wait_s)};
    }
  }
  return points;
}

}  // namespace

std::vector<std::optional<LongestWait>> longest_waits(const Experiment& e) {
  const MessageCosts costs(e.runs);
  std::vector<std::optional<LongestWait>> waits(e.points.size());
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    const ExperimentPoint& point = e.points[i];
    if (!has_calls(point)) continue;
    std::map<std::pair<std::string, std::string>, double> waited_s;  // by operation and caller
    double all_s = 0;
    for (const std::size_t r : point.runs) {
      const RunProfile& run = e.runs[r];
      const double ranks = recorded_ranks(run);
      const std::vector<double> rows_s = waiting_in_rows(run, costs);
      for (std::size_t row = 0; row < rows_s.size(); ++row) {
        waited_s[{run.mpi[row].op, run.mpi[row].caller}] += rows_s[row] / ranks;
        all_s += rows_s[row] / ranks;
      }
    }
    const auto most =
        std::max_element(waited_s.begin(), waited_s.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == waited_s.end() || !(most->second > 0)) continue;
    const auto& [op, caller] = most->first;
    waits[i] = LongestWait{op, caller, most->second / static_cast<double>(point.runs.size()),
                           most->second / all_s};
  }
  return waits;
}

std::vector<std::vector<OwnSeconds>> own_seconds(const Experiment& e,
                                                 const std::vector<KernelModel>& kernels) {
  return seconds_in_calls(e, kernels, callers_at_points(e, {}), CallersOf(kernels));
}

void fill_own_calls(const Experiment& e, const std::vector<double>& work,
                    const std::vector<CommModel>& laws, std::vector<KernelModel>* kernels) {
  const std::vector<std::vector<Callers>> callers = callers_at_points(e, laws);
  const auto largest = std::find_if(callers.rbegin(), callers.rend(),
                                    [](const auto& runs) { return !runs.empty(); });
  if (largest == callers.rend()) return;
  InCalls all;
  for (const Callers& run : *largest)
    for (const auto& [caller, in_calls] : run) all.add(in_calls);
  const CallersOf its_callers(*kernels);
  const std::vector<std::vector<OwnSeconds>> seconds =
      seconds_in_calls(e, *kernels, callers, its_callers);
  for (std::size_t k = 0; k < kernels->size(); ++k) {
    OwnCalls& calls = (*kernels)[k].calls;
    for (std::size_t i = 0; i < e.points.size(); ++i) {
      const OwnSeconds& here = seconds[i][k];
      if (!here.transfer) continue;
      calls.transfer_points.push_back(fit_point(e.points[i].procs, work[i], *here.transfer));
      calls.wait_points.push_back(fit_point(e.points[i].procs, work[i], *here.wait));
    }
    if (calls.transfer_points.empty()) continue;
    InCalls its;
    for (const Callers& run : *largest) its.add(its_callers.seconds((*kernels)[k], run));
    for (std::size_t i = 0; i < its.by_law.size(); ++i)
      // The two sums add the same times in different orders; by rounding, a share might exceed 1.
      if (its.by_law[i] > 0)
        calls.shares.push_back(
            {laws[i].part, laws[i].group, std::min(its.by_law[i] / all.by_law[i], 1.0)});
  }
}

}  // namespace apmt
