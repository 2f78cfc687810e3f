#include "fitter/slowest_rank.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "fitter/run_parts.h"

namespace apmt {
namespace {

using PerRank = std::vector<double>;

double mean(const PerRank& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::optional<SlowestRank> slowest_rank(const Experiment& e, const ExperimentPoint& point) {
  if (point.procs < 2) return std::nullopt;
  const auto ranks = static_cast<std::size_t>(point.procs);
  PerRank all(ranks, 0);
  std::map<std::string, PerRank> kernels;
  for (const std::size_t r : point.runs) {
    const RunProfile& run = e.runs[r];
    if (run.times.main_s.per_rank.size() != ranks) return std::nullopt;  // some were not recorded
    const double seconds = elapsed_per_cpu(run) / static_cast<double>(point.runs.size());
    for (const KernelProfile& kernel : run.kernels) {
      const auto counter = kernel.counters.find(kCpuMetric);
      if (counter == kernel.counters.end()) continue;
      PerRank& its = kernels.try_emplace(kernel.name, ranks, 0).first->second;
      for (std::size_t i = 0; i < ranks; ++i) {
        const double time_s = seconds * counter->second.rank_value(i);
        its[i] += time_s;
        all[i] += time_s;
      }
    }
  }
  if (kernels.empty()) return std::nullopt;
  const auto slowest = std::max_element(all.begin(), all.end());
  const auto rank = static_cast<std::size_t>(slowest - all.begin());
  SlowestRank of{.rank = static_cast<int>(rank),
                 .beyond_mean_s = std::max(*slowest - mean(all), 0.0)};
  for (const auto& [name, its] : kernels) {
    const double beyond_mean_s = its[rank] - mean(its);
    if (beyond_mean_s <= of.in_kernel_s) continue;
    of.kernel = name;
    of.in_kernel_s = beyond_mean_s;
  }
  return of;
}

}  // namespace apmt
