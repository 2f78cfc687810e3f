#include "fitter/run_parts.h"

#include <algorithm>

namespace apmt {
namespace {

struct Compute {
  double total_s = 0;    // over ranks
  double largest_s = 0;  // of one rank
  double samples = 0;
};

Compute sampled_compute(const RunProfile& run) {
  Compute c;
  std::vector<double> per_rank(run.times.main_s.per_rank.size(), 0);
  for (const KernelProfile& k : run.kernels) {
    const auto counter = k.counters.find(kCpuMetric);
    if (counter == k.counters.end()) continue;
    for (std::size_t r = 0; r < per_rank.size(); ++r) per_rank[r] += counter->second.rank_value(r);
    c.samples += counter->second.independent_samples();
  }
  for (const double s : per_rank) {
    c.total_s += s;
    c.largest_s = std::max(c.largest_s, s);
  }
  return c;
}

constexpr double kEnoughInstances = 0.9;
constexpr double kRounding = 1e-9;  // of a time: what differences of sums leave

/// The part of communication that is waiting for other ranks. Instances of synchronising
/// collectives say how much of their time it was, what messages can cost says it of messages.
/// The sum over the run says that it was at least what the busiest rank spent outside MPI beyond
/// the mean; what of that is not in those collectives lies in messages, else in rooted collectives.
void take_out_waiting(const RunProfile& run, const MessageCosts& costs, RunParts* parts) {
  const RankTimes& t = run.times;
  double busiest_s = 0;
  for (std::size_t r = 0; r < t.main_s.per_rank.size(); ++r)
    busiest_s = std::max(busiest_s, t.main_s.per_rank[r] - t.mpi_s.per_rank[r]);
  const double imbalance_s = busiest_s - (t.main_s.mean() - t.mpi_s.mean());
  const Communication& c = run.communication;
  double in_coll_s = 0;
  if (c.coll_wait_s && c.coll_wait_coverage.value_or(0) >= kEnoughInstances)
    in_coll_s = std::min(*c.coll_wait_s, *parts->comm_coll_s);
  double elsewhere_s = std::max(imbalance_s - in_coll_s, 0.0);
  const double partners_s = costs.waited_s(run) / static_cast<double>(t.main_s.per_rank.size());
  const double in_p2p_s = std::min(std::max(elsewhere_s, partners_s), *parts->comm_p2p_s);
  elsewhere_s = std::max(elsewhere_s - in_p2p_s, 0.0);
  in_coll_s += std::min(elsewhere_s, *parts->comm_coll_s - in_coll_s);
  *parts->comm_coll_s -= in_coll_s;
  *parts->comm_p2p_s -= in_p2p_s;
  parts->comm_wait_s = in_coll_s + in_p2p_s;
}

}  // namespace

double elapsed_per_cpu(const RunProfile& run) {
  if (run.config.threads_per_rank <= 1) return 1;
  const double outside_s = run.times.main_s.total() - run.times.mpi_s.total();
  const double cpu_s = sampled_compute(run).total_s;
  return cpu_s > outside_s && outside_s > 0 ? outside_s / cpu_s : 1;
}

RunParts parts_of(const RunProfile& run, bool oversubscribed, const MessageCosts& costs) {
  RunParts parts;
  const RankTimes& t = run.times;
  const double ranks = static_cast<double>(t.main_s.per_rank.size());
  const double outside_s = t.main_s.mean() - t.mpi_s.mean();  // of MPI, elapsed
  const bool sampled = run.grade != Grade::kD;
  if (sampled) {
    const Compute compute = sampled_compute(run);
    const double scale = elapsed_per_cpu(run);
    parts.comp_s = scale * compute.total_s / ranks;
    parts.samples = compute.samples;
    if (compute.largest_s > 0) parts.load_balance = compute.total_s / ranks / compute.largest_s;
    // A simulated rank's time outside MPI is exact, its samples are few.
    if (run.config.is_virtual && t.main_cpu_s.max() > 0)
      parts.load_balance = t.main_cpu_s.mean() / t.main_cpu_s.max();
  } else if (!oversubscribed) {
    parts.comp_s = std::max(outside_s, 0.0);  // one block; what was off the CPU is in it
  }
  if (oversubscribed) return parts;
  parts.comm_p2p_s = t.mpi_p2p_s.mean();
  parts.comm_coll_s = t.mpi_coll_s.mean();
  parts.comm_other_s = t.mpi_other_s.mean();
  take_out_waiting(run, costs, &parts);
  // The mean of equal times may exceed them by a rounding.
  const double longest_s = std::max(t.wall_s.max() - t.wall_s.mean(), 0.0);
  parts.others_s = t.init_s.mean() + t.finalize_s.mean() + longest_s;
  if (!sampled || run.config.is_virtual) {
    parts.off_cpu_s = 0;  // inside comp_s by definition; simulated ranks are never off their CPU
    return parts;
  }
  // The process clock says how long the rank was off the CPU anywhere in main; inside MPI that is
  // sleep, which is communication. So outside MPI it is at most what sampling left unexplained.
  double unexplained_s = outside_s - *parts.comp_s;
  if (unexplained_s < kRounding * outside_s) unexplained_s = 0;
  parts.off_cpu_s = t.main_cpu_s.per_rank.empty() || run.config.threads_per_rank > 1
                        ? unexplained_s
                        : std::clamp(t.main_s.mean() - t.main_cpu_s.mean(), 0.0, unexplained_s);
  return parts;
}

}  // namespace apmt
