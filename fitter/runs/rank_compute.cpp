#include "fitter/runs/rank_compute.h"

#include <algorithm>
#include <cmath>

#include "base/mean.h"
#include "fitter/numeric/log_mixture.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

constexpr double kFalseAlarms = 0.01;     // probability that noise alone names a rank or a kernel
constexpr double kRoundingOfMean = 1e-9;  // smaller differences are rounding

/// Adds to the time of each rank what this counter measured in the rank, and likewise to the
/// variance. Samples come from timer signals, which are independent, so their variances add up. One
/// signal may stand for n samples; its variance is then n^2 times that of one sample.
void add_sampled(const Counter& counter, RankTime* time) {
  for (std::size_t r = 0; r < time->seconds.size() && r < counter.samples.size(); ++r) {
    const double unit = counter.unit_per_sample * (counter.scale.empty() ? 1 : counter.scale[r]);
    const bool has_squares = r < counter.squares.size();
    time->seconds[r] += counter.rank_value(r);
    time->variance[r] +=
        unit * unit * static_cast<double>(has_squares ? counter.squares[r] : counter.samples[r]);
  }
}

/// Moves the sampled time into the range that the clocks allow. Its standard deviation is then at
/// most half of this range.
void hold_within(double low_s, double high_s, double* seconds, double* variance) {
  *seconds = std::clamp(*seconds, low_s, high_s);
  *variance = std::min(*variance, (high_s - low_s) * (high_s - low_s) / 4);
}

}  // namespace

RankTime computing_time(const RunProfile& run) {
  const RankTimes& t = run.times;
  const std::size_t ranks = t.main_s.per_rank.size();
  RankTime time{std::vector<double>(ranks, 0), std::vector<double>(ranks, 0)};
  bool is_sampled = false;
  for (const KernelProfile& kernel : run.kernels) {
    const auto counter = kernel.counters.find(kCpuMetric);
    if (counter == kernel.counters.end()) continue;
    is_sampled = true;
    add_sampled(counter->second, &time);
  }
  if (!is_sampled) return {};
  const bool has_clocks = t.main_cpu_s.per_rank.size() == ranks && t.mpi_s.per_rank.size() == ranks;
  if (!has_clocks || run.config.threads_per_rank > 1) return time;
  for (std::size_t r = 0; r < ranks; ++r) {
    const double cpu_s = t.main_cpu_s.per_rank[r];
    const double outside_s = std::max(t.main_s.per_rank[r] - t.mpi_s.per_rank[r], 0.0);
    const double least_s = std::clamp(cpu_s - t.mpi_s.per_rank[r], 0.0, outside_s);
    // On a virtual cluster, main_cpu_s is already the simulated time outside MPI.
    if (run.config.is_virtual)
      hold_within(cpu_s, cpu_s, &time.seconds[r], &time.variance[r]);
    else
      hold_within(least_s, outside_s, &time.seconds[r], &time.variance[r]);
  }
  return time;
}

RankTime time_in(const KernelProfile& kernel, std::size_t ranks) {
  RankTime time{std::vector<double>(ranks, 0), std::vector<double>(ranks, 0)};
  const auto counter = kernel.counters.find(kCpuMetric);
  if (counter != kernel.counters.end()) add_sampled(counter->second, &time);
  return time;
}

void BeyondMean::add(const RankTime& run, double scale) {
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

std::size_t BeyondMean::largest() const {
  return static_cast<std::size_t>(std::max_element(sums_s_.begin(), sums_s_.end()) -
                                  sums_s_.begin());
}

double BeyondMean::seconds(std::size_t rank) const {
  return sums_s_[rank] / static_cast<double>(runs_);
}

bool BeyondMean::is_significant(std::size_t rank, std::size_t choices) const {
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

}  // namespace apmt
