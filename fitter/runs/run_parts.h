// Equation (2) of the APMT paper with the measured values of one run: the parts of its elapsed
// time.
#pragma once

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
  std::optional<double> comp_s;
  std::optional<double> comm_p2p_s;   // without comm_wait_s
  std::optional<double> comm_coll_s;  // without comm_wait_s
  std::optional<double> comm_wait_s;  // waiting inside these calls for ranks that compute longer
  std::optional<double> comm_other_s;
  std::optional<double> off_cpu_s;
  std::optional<double> start_s;  // until MPI_Init returns
  std::optional<double> end_s;    // from the entry of MPI_Finalize
  double samples = 0;             // number of samples from which comp_s is computed
  double load_balance = 1;        // mean / max over ranks of compute time
};

/// If `oversubscribed`, wall-clock times inside and around MPI are meaningless, but CPU times are
/// not. `costs` are those of messages, from all runs of the program.
RunParts parts_of(const RunProfile& run, bool oversubscribed, const MessageCosts& costs);

/// By how much the rank that is longest outside MPI exceeds the mean, in seconds; 0 if the
/// difference is rounding.
double excess_outside_mpi_s(const RankTimes& times);

/// The classes of operations (MpiRow::op_class) whose time is in point-to-point calls and their
/// completion, or in collectives.
bool is_of_messages(const std::string& op_class);
bool is_of_collectives(const std::string& op_class);

/// How much of the time in each row of a run's MPI table was waiting, in seconds over all ranks.
/// The sum, divided by the number of ranks, is comm_wait_s.
std::vector<double> waiting_in_rows(const RunProfile& run, const MessageCosts& costs);

/// Elapsed seconds per second of sampled CPU time: 1 with one thread per rank. With worker threads,
/// the CPU time outside MPI exceeds the elapsed time there. Kernels are then scaled so that they
/// add up to the elapsed time outside MPI of the thread that calls MPI.
double elapsed_per_cpu(const RunProfile& run);

/// The waiting in collectives that instances show is used only if it is known for at least this
/// share of the time in synchronising collectives.
inline constexpr double kEnoughInstances = 0.9;

/// The name of the metric that holds a kernel's sampled CPU time.
inline constexpr const char* kCpuMetric = "cpu_s";

}  // namespace apmt
