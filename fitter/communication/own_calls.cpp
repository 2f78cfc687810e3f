#include "fitter/communication/own_calls.h"

#include <algorithm>
#include <map>
#include <string>

#include "fitter/model/model_parts.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

/// Seconds in the MPI calls of a function, over all ranks: of transfer, of waiting and, from the
/// third on, of what each law of communication describes.
using InCalls = std::vector<double>;
using Callers = std::map<std::string, InCalls>;  // by the name of the calling function

void add(const InCalls& seconds, InCalls* sum) {
  sum->resize(std::max(sum->size(), seconds.size()), 0);
  for (std::size_t i = 0; i < seconds.size(); ++i) (*sum)[i] += seconds[i];
}

/// The seconds in the calls of a row that the law describes.
double seconds_of(const CommModel& law, const MpiRow& row, double waited_s) {
  if (!law.group.empty() && std::ranges::count(law.ops, row.op) == 0) return 0;
  if (law.part == comm_name(Part::kCommWait)) return waited_s;
  const Part part = is_of_messages(row.op_class)      ? Part::kCommP2p
                    : is_of_collectives(row.op_class) ? Part::kCommColl
                                                      : Part::kCommOther;
  return law.part == comm_name(part) ? row.time_s - waited_s : 0;
}

/// The callers in each run of a point.
std::vector<Callers> callers_at(const ExperimentPoint& point, const Experiment& e,
                                const MessageCosts& costs, const std::vector<CommModel>& laws) {
  std::vector<Callers> runs;
  for (const std::size_t r : point.runs) {
    const RunProfile& run = e.runs[r];
    const std::vector<double> waited_s = waiting_in_rows(run, costs);
    Callers& callers = runs.emplace_back();
    for (std::size_t i = 0; i < run.mpi.size(); ++i) {
      const MpiRow& row = run.mpi[i];
      InCalls seconds = {row.time_s - waited_s[i], waited_s[i]};
      for (const CommModel& law : laws) seconds.push_back(seconds_of(law, row, waited_s[i]));
      add(seconds, &callers[row.caller]);
    }
  }
  return runs;
}

bool has_calls(const ExperimentPoint& point) { return point.procs > 1 && !point.oversubscribed; }

/// The time in the calls of the function with the kernel's name or, for the rest, of all functions
/// that are not kernels. (Without functions, computation is one block: nothing was sampled.)
InCalls seconds_in(const KernelModel& kernel, const std::vector<KernelModel>& kernels,
                   const Callers& callers) {
  const auto namesakes = [&](const std::string& name) {
    return std::ranges::count_if(kernels, [&](const KernelModel& k) {
      return k.role != KernelRole::kRest && k.name == name;
    });
  };
  InCalls sum(2, 0);
  for (const auto& [caller, seconds] : callers)
    if (kernel.role == KernelRole::kRest ? kernel.functions > 0 && namesakes(caller) == 0
                                         : kernel.name == caller && namesakes(caller) == 1)
      add(seconds, &sum);
  return sum;
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
        std::ranges::max_element(waited_s, {}, [](const auto& one) { return one.second; });
    if (most == waited_s.end() || !(most->second > 0)) continue;
    const auto& [op, caller] = most->first;
    waits[i] = LongestWait{op, caller, most->second / static_cast<double>(point.runs.size()),
                           most->second / all_s};
  }
  return waits;
}

std::vector<std::vector<OwnSeconds>> own_seconds(const Experiment& e,
                                                 const std::vector<KernelModel>& kernels) {
  const MessageCosts costs(e.runs);
  std::vector<std::vector<OwnSeconds>> points;
  for (const ExperimentPoint& point : e.points) {
    std::vector<OwnSeconds>& row = points.emplace_back(kernels.size());
    if (!has_calls(point)) continue;
    const std::vector<Callers> runs = callers_at(point, e, costs, {});
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      std::vector<double> transfer_s, wait_s;
      double sum_s = 0;
      for (std::size_t r = 0; r < runs.size(); ++r) {
        const double ranks = recorded_ranks(e.runs[point.runs[r]]);
        const InCalls its = seconds_in(kernels[k], kernels, runs[r]);
        transfer_s.push_back(its[0] / ranks);
        wait_s.push_back(its[1] / ranks);
        sum_s += its[0] + its[1];
      }
      if (sum_s > 0) row[k] = {measured(transfer_s), measured(wait_s)};
    }
  }
  return points;
}

void fill_own_calls(const Experiment& e, const std::vector<double>& work,
                    const std::vector<CommModel>& laws, std::vector<KernelModel>* kernels) {
  const auto largest = std::find_if(e.points.rbegin(), e.points.rend(), has_calls);
  if (largest == e.points.rend()) return;
  const std::vector<Callers> runs = callers_at(*largest, e, MessageCosts(e.runs), laws);
  InCalls all;
  for (const Callers& run : runs)
    for (const auto& [caller, in_calls] : run) add(in_calls, &all);
  const std::vector<std::vector<OwnSeconds>> seconds = own_seconds(e, *kernels);
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
    for (const Callers& run : runs) add(seconds_in((*kernels)[k], *kernels, run), &its);
    for (std::size_t i = 2; i < its.size(); ++i)
      // The two sums add the same times in different orders; by rounding, a share might exceed 1.
      if (its[i] > 0)
        calls.shares.push_back(
            {laws[i - 2].part, laws[i - 2].group, std::min(its[i] / all[i], 1.0)});
  }
}

}  // namespace apmt
