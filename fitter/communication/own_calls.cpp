#include "fitter/communication/own_calls.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/mean.h"
#include "fitter/model/model_parts.h"
#include "fitter/numeric/normal_quantile.h"
#include "fitter/runs/costliest_call.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr double kFalseAlarms = 0.01;     // probability that noise alone names a rank or a kernel
constexpr double kRoundingOfMean = 1e-9;  // smaller differences are rounding

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

/// By how much each rank exceeds the mean of all ranks, as a mean over runs.
class BeyondMean {
 public:
  explicit BeyondMean(std::size_t ranks) : sums_s_(ranks, 0), variance_(ranks, 0) {}

  /// `scale` multiplies all seconds. All runs have the same number of ranks.
  void add(const RankTime& run, double scale) {
    const double mean_s = mean(run.seconds);
    for (std::size_t r = 0; r < sums_s_.size(); ++r) {
      const double excess_s = scale * (run.seconds[r] - mean_s);
      sums_s_[r] += excess_s;
      variance_[r] += scale * scale * run.variance[r];
      squares_ += excess_s * excess_s;
    }
    means_s_ += scale * mean_s;
    ++runs_;
  }

  std::size_t largest() const {
    return static_cast<std::size_t>(std::ranges::max_element(sums_s_) - sums_s_.begin());
  }

  double seconds(std::size_t rank) const { return sums_s_[rank] / static_cast<double>(runs_); }

  /// Whether the rank's excess is larger than chance explains. `choices` is the number of ranks or
  /// kernels from which the one with the largest excess was taken. The error is the larger of the
  /// sampling error and the scatter between runs.
  bool is_significant(std::size_t rank, std::size_t choices) const {
    const auto runs = static_cast<double>(runs_);
    const auto ranks = static_cast<double>(sums_s_.size());
    // The sampling variance is at least the mean over all ranks, because few samples, or none,
    // understate it.
    double variance = std::max(variance_[rank], mean(variance_)) * (1 - 1 / ranks);
    if (runs_ > 1) {
      double between_runs = squares_;
      for (const double sum_s : sums_s_) between_runs -= sum_s * sum_s / runs;
      variance = std::max(variance, runs * between_runs / (ranks * (runs - 1)));
    }
    const double most_by_chance =
        standard_normal_quantile(1 - kFalseAlarms / static_cast<double>(choices)) *
        std::sqrt(variance);
    return sums_s_[rank] > std::max(most_by_chance, kRoundingOfMean * means_s_);
  }

 private:
  std::size_t runs_ = 0;
  std::vector<double> sums_s_;    // over runs
  std::vector<double> variance_;  // of these sums, from sampling
  double means_s_ = 0;            // sum over runs of the mean over ranks
  double squares_ = 0;            // sum over runs and ranks of the squared excess
};

/// The time in every sampled kernel, by name, in each run of the point. A run may have several
/// kernels with this name, for example static functions of several files.
std::map<std::string, std::vector<RankTime>> times_in_kernels(const Experiment& e,
                                                              const ExperimentPoint& point,
                                                              std::size_t ranks) {
  std::map<std::string, std::vector<RankTime>> times;
  for (std::size_t i = 0; i < point.runs.size(); ++i)
    for (const KernelProfile& kernel : e.runs[point.runs[i]].kernels)
      if (const Counter* counter = cpu_counter(kernel)) {
        const auto its = times.try_emplace(kernel.name, point.runs.size(), RankTime(ranks)).first;
        add_sampled(*counter, &its->second[i]);
      }
  return times;
}

}  // namespace

std::vector<std::optional<LongestWait>> longest_waits(const Experiment& e) {
  const MessageCosts costs(e.runs);
  std::vector<std::optional<LongestWait>> waits;
  for (const ExperimentPoint& point : e.points) {
    std::optional<LongestWait>& wait = waits.emplace_back();
    if (!has_calls(point)) continue;
    if (const auto most = costliest_call(
            e, point, [&](const RunProfile& run) { return waiting_in_rows(run, costs); }))
      wait = LongestWait{most->op, most->caller, most->time_s, most->share};
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

std::optional<SlowestRank> slowest_rank(const Experiment& e, const ExperimentPoint& point) {
  if (point.procs < 2) return std::nullopt;
  const auto ranks = static_cast<std::size_t>(point.procs);
  BeyondMean all(ranks);
  std::vector<double> scales;  // elapsed_per_cpu() of each run
  for (const std::size_t r : point.runs) {
    const RunProfile& run = e.runs[r];
    if (run.times.main_s.per_rank.size() != ranks) return std::nullopt;  // some were not recorded
    scales.push_back(elapsed_per_cpu(run));
    if (const auto time = computing_time(run)) all.add(*time, scales.back());
  }
  const std::size_t rank = all.largest();
  if (!all.is_significant(rank, ranks)) return std::nullopt;
  SlowestRank of{.rank = static_cast<int>(rank), .beyond_mean_s = all.seconds(rank)};
  const auto kernels = times_in_kernels(e, point, ranks);
  for (const auto& [name, times] : kernels) {
    BeyondMean its(ranks);
    for (std::size_t i = 0; i < times.size(); ++i) its.add(times[i], scales[i]);
    const double beyond_mean_s = its.seconds(rank);
    if (beyond_mean_s <= of.in_kernel_s || !its.is_significant(rank, kernels.size())) continue;
    of.kernel = name;
    of.in_kernel_s = beyond_mean_s;
  }
  return of;
}

}  // namespace apmt
