#include "fitter/runs/run_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "fitter/mechanisms.h"

namespace apmt {
namespace {

struct Compute {
  double total_s = 0;  // summed over ranks
  double samples = 0;
};

Compute sampled_compute(const RunProfile& run) {
  Compute c;
  const std::size_t ranks = run.times.main_s.per_rank.size();
  for (const KernelProfile& k : run.kernels) {
    const Counter* counter = cpu_counter(k);
    if (counter == nullptr) continue;
    for (std::size_t r = 0; r < ranks; ++r) c.total_s += counter->rank_value(r);
    c.samples += counter->independent_samples();
  }
  return c;
}

constexpr double kRounding = 1e-9;  // relative; smaller differences of times are rounding

/// The waiting in collectives that instances show is used only if it is known for at least this
/// share of the time in synchronising collectives.
constexpr double kEnoughInstances = 0.9;

/// The part of communication time in which ranks wait for others; means over the ranks.
struct Waiting {
  double in_p2p_s = 0;
  double in_coll_s = 0;
};

/// Waiting in collectives is what their recorded instances show (`coll_wait_s`); in broadcasts,
/// reductions and messages, it is the time beyond their cost (`waited_s`, by row of the MPI table).
/// The sum is raised to the imbalance, the least mean time for which ranks wait for the busiest one
/// (but not for what it computes after the mean end of all): first in messages, then in
/// collectives.
Waiting waiting_of(const RunProfile& run, const std::vector<double>& waited_s) {
  if (run.config.procs == 1) return {};  // nobody to wait for
  const RankTimes& t = run.times;
  const double least_s = mechanisms().imbalance ? excess_outside_mpi_s(t, t.main_s.mean()) : 0;
  const Communication& c = run.communication;
  double partners_s = 0, roots_s = 0;
  for (std::size_t i = 0; i < waited_s.size(); ++i)
    (is_of_messages(run.mpi[i].op_class) ? partners_s : roots_s) += waited_s[i];
  Waiting w;
  if (c.coll_wait_s && c.coll_wait_coverage.value_or(0) >= kEnoughInstances &&
      mechanisms().collective_instances)
    w.in_coll_s = *c.coll_wait_s;
  w.in_coll_s = std::min(w.in_coll_s + roots_s / recorded_ranks(run), t.mpi_coll_s.mean());
  double elsewhere_s = std::max(least_s - w.in_coll_s, 0.0);
  w.in_p2p_s =
      std::min(std::max(elsewhere_s, partners_s / recorded_ranks(run)), t.mpi_p2p_s.mean());
  elsewhere_s = std::max(elsewhere_s - w.in_p2p_s, 0.0);
  w.in_coll_s += std::min(elsewhere_s, t.mpi_coll_s.mean() - w.in_coll_s);
  return w;
}

/// Adds the waiting in each row of synchronising collectives. It is known for the operation, from
/// instances, and divided among the callers in proportion to their time in the operation.
void add_waiting_in_collectives(const RunProfile& run, std::vector<double>* waited_s) {
  using Key = std::tuple<std::string, std::int64_t, int>;
  std::map<Key, double> shares;
  for (const MpiOperation& o : run.communication.operations)
    if (o.transfer_s && o.time_s > 0)
      shares[{o.op, o.comm_size, o.size_class}] =
          std::clamp(1 - *o.transfer_s / o.time_s, 0.0, 1.0);
  for (std::size_t i = 0; i < run.mpi.size(); ++i) {
    const MpiRow& row = run.mpi[i];
    const auto share = shares.find({row.op, row.comm_size, row.size_class});
    if (row.op_class == "collective" && share != shares.end())
      (*waited_s)[i] += share->second * row.time_s;
  }
}

/// Makes the waiting in rows of one kind add up to `sum_s`. If it is too little, the difference is
/// divided among the rows in proportion to their time that is not waiting.
void add_up_to(double sum_s, const RunProfile& run, bool (*is_of_kind)(const std::string&),
               std::vector<double>* waited_s) {
  double waited = 0;
  double time = 0;
  for (std::size_t i = 0; i < run.mpi.size(); ++i) {
    if (!is_of_kind(run.mpi[i].op_class)) continue;
    waited += (*waited_s)[i];
    time += run.mpi[i].time_s;
  }
  if (std::abs(sum_s - waited) <= kRounding * time) return;
  for (std::size_t i = 0; i < run.mpi.size(); ++i) {
    double& row_s = (*waited_s)[i];
    if (!is_of_kind(run.mpi[i].op_class)) continue;
    if (sum_s < waited)
      row_s *= sum_s / waited;
    else if (time > waited)
      row_s += (run.mpi[i].time_s - row_s) * std::min((sum_s - waited) / (time - waited), 1.0);
  }
}

}  // namespace

const Counter* cpu_counter(const KernelProfile& kernel) {
  const auto counter = kernel.counters.find(kCpuMetric);
  return counter == kernel.counters.end() ? nullptr : &counter->second;
}

double recorded_ranks(const RunProfile& run) {
  return static_cast<double>(run.times.main_s.per_rank.size());
}

double excess_outside_mpi_s(const RankTimes& t, double end_s) {
  double longest_s = 0;
  for (std::size_t r = 0; r < t.main_s.per_rank.size(); ++r)
    longest_s = std::max(longest_s, std::min(t.main_s.per_rank[r], end_s) - t.mpi_s.per_rank[r]);
  const double excess_s = longest_s - (t.main_s.mean() - t.mpi_s.mean());
  return excess_s < kRounding * t.main_s.mean() ? 0 : excess_s;
}

void add_sampled(const Counter& counter, RankTime* time) {
  for (std::size_t r = 0; r < time->seconds.size() && r < counter.samples.size(); ++r) {
    const double unit = counter.unit_per_sample * (counter.scale.empty() ? 1 : counter.scale[r]);
    const bool has_squares = r < counter.squares.size();
    time->seconds[r] += counter.rank_value(r);
    time->variance[r] +=
        unit * unit * static_cast<double>(has_squares ? counter.squares[r] : counter.samples[r]);
  }
}

std::optional<RankTime> computing_time(const RunProfile& run) {
  const RankTimes& t = run.times;
  const std::size_t ranks = t.main_s.per_rank.size();
  std::optional<RankTime> time;
  for (const KernelProfile& kernel : run.kernels) {
    const Counter* counter = cpu_counter(kernel);
    if (counter == nullptr) continue;
    if (!time) time.emplace(ranks);
    add_sampled(*counter, &*time);
  }
  if (run.grade == Grade::kD && !run.config.oversubscribed && t.mpi_s.per_rank.size() == ranks) {
    time.emplace(ranks);
    for (std::size_t r = 0; r < ranks; ++r)
      time->seconds[r] = std::max(t.main_s.per_rank[r] - t.mpi_s.per_rank[r], 0.0);
    return time;
  }
  const bool has_clocks = t.main_cpu_s.per_rank.size() == ranks && t.mpi_s.per_rank.size() == ranks;
  if (!time || !has_clocks || run.config.threads_per_rank > 1) return time;
  for (std::size_t r = 0; r < ranks; ++r) {
    const double cpu_s = t.main_cpu_s.per_rank[r];
    const double outside_s = std::max(t.main_s.per_rank[r] - t.mpi_s.per_rank[r], 0.0);
    // On a virtual cluster, main_cpu_s is already the simulated time outside MPI.
    const double high_s = run.config.is_virtual ? cpu_s : outside_s;
    const double low_s =
        run.config.is_virtual ? cpu_s : std::clamp(cpu_s - t.mpi_s.per_rank[r], 0.0, outside_s);
    time->seconds[r] = std::clamp(time->seconds[r], low_s, high_s);
    // The standard deviation is then at most half of the range that the clocks allow.
    time->variance[r] = std::min(time->variance[r], (high_s - low_s) * (high_s - low_s) / 4);
  }
  return time;
}

bool is_of_messages(const std::string& op_class) {
  return op_class == "p2p" || op_class == "completion";
}

bool is_of_collectives(const std::string& op_class) {
  return op_class == "collective" || op_class == "rooted";
}

double elapsed_per_cpu(const RunProfile& run) {
  if (run.config.threads_per_rank <= 1) return 1;
  const double outside_s = run.times.main_s.total() - run.times.mpi_s.total();
  const double cpu_s = sampled_compute(run).total_s;
  return cpu_s > outside_s && outside_s > 0 ? outside_s / cpu_s : 1;
}

std::vector<double> waiting_in_rows(const RunProfile& run, const MessageCosts& costs) {
  const double ranks = recorded_ranks(run);
  std::vector<double> waited_s = costs.waited_s(run);
  const Waiting waiting = waiting_of(run, waited_s);
  add_waiting_in_collectives(run, &waited_s);
  add_up_to(waiting.in_p2p_s * ranks, run, is_of_messages, &waited_s);
  add_up_to(waiting.in_coll_s * ranks, run, is_of_collectives, &waited_s);
  return waited_s;
}

RunParts parts_of(const RunProfile& run, bool oversubscribed, const MessageCosts& costs) {
  RunParts parts;
  const RankTimes& t = run.times;
  const double outside_s = t.main_s.mean() - t.mpi_s.mean();  // elapsed time outside MPI
  const bool sampled = run.grade != Grade::kD;
  if (sampled) {
    const Compute compute = sampled_compute(run);
    parts.comp_s = elapsed_per_cpu(run) * compute.total_s / recorded_ranks(run);
    parts.samples = compute.samples;
  } else if (!oversubscribed) {
    parts.comp_s = std::max(outside_s, 0.0);  // one block that includes time off the CPU
  }
  const std::optional<RankTime> time = computing_time(run);
  if (time && std::ssize(time->seconds) == run.config.procs) {
    const Column computing{time->seconds};
    if (computing.max() > 0) parts.load_balance = computing.mean() / computing.max();
  }
  if (oversubscribed) return parts;
  parts.comm_p2p_s = t.mpi_p2p_s.mean();
  parts.comm_coll_s = t.mpi_coll_s.mean();
  parts.comm_other_s = t.mpi_other_s.mean();
  const Waiting waiting = waiting_of(run, costs.waited_s(run));
  *parts.comm_p2p_s -= waiting.in_p2p_s;
  *parts.comm_coll_s -= waiting.in_coll_s;
  parts.comm_wait_s = waiting.in_p2p_s + waiting.in_coll_s;
  // The run lasts as long as its longest-lived rank. Ranks that were started later shorten the mean
  // start; that part of the difference belongs to the start.
  const auto longest = static_cast<std::size_t>(std::ranges::max_element(t.wall_s.per_rank) -
                                                t.wall_s.per_rank.begin());
  // Rounding may make the mean of equal times larger than each of them.
  const double beyond_mean_s = std::max(t.wall_s.max() - t.wall_s.mean(), 0.0);
  const double later_s =
      std::clamp(t.init_s.per_rank[longest] - t.init_s.mean(), 0.0, beyond_mean_s);
  parts.start_s = t.init_s.mean() + later_s;
  parts.end_s = t.finalize_s.mean() + beyond_mean_s - later_s;
  if (!sampled || run.config.is_virtual) {
    parts.off_cpu_s = 0;  // part of comp_s by definition, or never off the CPU (simulated)
    return parts;
  }
  // The clock also shows sleep inside MPI, which counts as communication. So the time off the CPU
  // is limited to the time outside MPI that samples do not account for.
  double unexplained_s = outside_s - *parts.comp_s;
  if (unexplained_s < kRounding * outside_s) unexplained_s = 0;
  parts.off_cpu_s = t.main_cpu_s.per_rank.empty() || run.config.threads_per_rank > 1
                        ? unexplained_s
                        : std::clamp(t.main_s.mean() - t.main_cpu_s.mean(), 0.0, unexplained_s);
  return parts;
}

}  // namespace apmt
