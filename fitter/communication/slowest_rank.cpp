#include "fitter/communication/slowest_rank.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fitter/runs/rank_compute.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

struct InRun {
  std::size_t run;  // position in the point's list
  const KernelProfile* kernel;
};

/// Every sampled kernel of the point's runs, by name.
std::map<std::string, std::vector<InRun>> kernels_of(const Experiment& e,
                                                     const ExperimentPoint& point) {
  std::map<std::string, std::vector<InRun>> kernels;
  for (std::size_t i = 0; i < point.runs.size(); ++i)
    for (const KernelProfile& kernel : e.runs[point.runs[i]].kernels)
      if (kernel.counters.contains(kCpuMetric)) kernels[kernel.name].push_back({i, &kernel});
  return kernels;
}

/// How much longer than the mean each rank computes in all kernels that share a name. A run may
/// have several kernels with this name, for example static functions of several files.
BeyondMean beyond_mean_in(const std::vector<InRun>& kernels, const std::vector<double>& scales,
                          std::size_t ranks) {
  BeyondMean beyond(ranks);
  for (std::size_t run = 0; run < scales.size(); ++run) {
    RankTime all{std::vector<double>(ranks, 0), std::vector<double>(ranks, 0)};
    for (const InRun& in : kernels) {
      if (in.run != run) continue;
      const RankTime its = time_in(*in.kernel, ranks);
      for (std::size_t i = 0; i < ranks; ++i) {
        all.seconds[i] += its.seconds[i];
        all.variance[i] += its.variance[i];
      }
    }
    beyond.add(all, scales[run]);
  }
  return beyond;
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
    const RankTime time = computing_time(run);
    scales.push_back(elapsed_per_cpu(run));
    if (!time.seconds.empty()) all.add(time, scales.back());
  }
  const std::size_t rank = all.largest();
  if (!all.is_significant(rank, ranks)) return std::nullopt;
  SlowestRank of{.rank = static_cast<int>(rank), .beyond_mean_s = all.seconds(rank)};
  const auto kernels = kernels_of(e, point);
  for (const auto& [name, in_runs] : kernels) {
    const BeyondMean its = beyond_mean_in(in_runs, scales, ranks);
    const double beyond_mean_s = its.seconds(rank);
    if (beyond_mean_s <= of.in_kernel_s || !its.is_significant(rank, kernels.size())) continue;
    of.kernel = name;
    of.in_kernel_s = beyond_mean_s;
  }
  return of;
}

}  // namespace apmt
