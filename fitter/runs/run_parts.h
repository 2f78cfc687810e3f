// Equation (2) of the APMT paper with the measured values of one run: the parts of its elapsed
// time.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fitter/runs/message_costs.h"
#include "profile/run_profile.h"

namespace apmt {

/// Seconds, means over the ranks. With d = lifetime of the longest-lived rank - mean lifetime:
///   elapsed = comp + comm_p2p + comm_coll + comm_wait + comm_other + off_cpu + start + end
///             + closure (the residual)
/// start and end contain d, so that the residual is 0 when every second of every rank is accounted
/// for.
struct RunParts {
  // As in MeasuredParts.
  std::optional<double> comp_s, comm_p2p_s, comm_coll_s, comm_wait_s, comm_other_s;
  std::optional<double> off_cpu_s, start_s, end_s;
  double samples = 0;  // number of samples from which comp_s is computed
  /// Mean / max over ranks of compute time; absent unless that of every rank is known.
  std::optional<double> load_balance;
};

/// If `oversubscribed`, wall-clock times inside and around MPI are meaningless, but CPU times are
/// not. `costs` are those of messages, from all runs of the program.
RunParts parts_of(const RunProfile& run, bool oversubscribed, const MessageCosts& costs);

/// A time of each rank in one run, with the variance of its sampling error.
struct RankTime {
  std::vector<double> seconds;
  std::vector<double> variance;  // in s^2
  explicit RankTime(std::size_t ranks) : seconds(ranks, 0), variance(ranks, 0) {}
};

/// Adds to each rank's time and variance what this counter measured in the rank. One signal may
/// stand for n samples; its variance is then n^2 times that of one sample.
void add_sampled(const Counter& counter, RankTime* time);

/// The CPU time of each rank outside MPI: the sum over kernels, from samples. With one thread per
/// rank and clocks, it is limited to what they allow. On a virtual cluster, the simulated time
/// outside MPI replaces it. Without samples (grade D), the elapsed time outside MPI replaces it,
/// unless ranks share cores. Absent if neither is known.
std::optional<RankTime> computing_time(const RunProfile& run);

/// By how much the longest time of a rank outside MPI, until `end_s`, exceeds the mean time outside
/// MPI, in seconds; 0 if the difference is rounding.
double excess_outside_mpi_s(const RankTimes& times, double end_s = INFINITY);

/// The classes of operations (MpiRow::op_class) whose time is in point-to-point calls and their
/// completion, or in collectives.
bool is_of_messages(const std::string& op_class);
bool is_of_collectives(const std::string& op_class);

/// How much of the time in each row of a run's MPI table was waiting, in seconds over all ranks.
/// The sum, divided by the number of ranks, is comm_wait_s.
std::vector<double> waiting_in_rows(const RunProfile& run, const MessageCosts& costs);

/// Elapsed seconds per second of sampled CPU time: 1 with one thread per rank. With worker threads,
/// kernels are scaled so that they add up to the elapsed time outside MPI.
double elapsed_per_cpu(const RunProfile& run);

/// The name of the metric that holds a kernel's sampled CPU time.
inline constexpr const char* kCpuMetric = "cpu_s";
/// Its counter; null if the kernel was not sampled.
const Counter* cpu_counter(const KernelProfile& kernel);

/// The number of ranks that were recorded.
double recorded_ranks(const RunProfile& run);

}  // namespace apmt
