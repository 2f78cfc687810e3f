#include "fitter/communication/slowest_rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/mean.h"
#include "fitter/numeric/log_mixture.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

constexpr double kFalseAlarms = 0.01;     // probability that noise alone names a rank or a kernel
constexpr double kRoundingOfMean = 1e-9;  // smaller differences are rounding

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
