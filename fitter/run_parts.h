// Equation (2) of one run, with measured values: what its elapsed time consists of.
#pragma once

#include <optional>
#include <vector>

#include "fitter/message_costs.h"
#include "profile/run_profile.h"

namespace apmt {

/// Seconds, means over ranks. With d = what the longest-lived rank lived longer than the mean:
///   elapsed = comp + comm_p2p + comm_coll + comm_wait + comm_other + off_cpu + others + closure
///   residual
/// others contains d, so that the residual is 0 when every second of every rank is accounted for.
struct RunParts {
  std::optional<double> comp_s;
  std::optional<double> comm_p2p_s;   // without comm_wait_s
  std::optional<double> comm_coll_s;  // without comm_wait_s
  std::optional<double> comm_wait_s;  // inside these two, for ranks that compute longer
  std::optional<double> comm_other_s;
  std::optional<double> off_cpu_s;
  std::optional<double> others_s;
  double samples = 0;       // behind comp_s
  double load_balance = 1;  // mean / max over ranks of compute time
};

/// `oversubscribed`: wall-clock times inside and around MPI mean nothing; CPU time stands. `costs`:
/// of messages, over all runs of the program.
RunParts parts_of(const RunProfile& run, bool oversubscribed, const MessageCosts& costs);

/// Of the time in each row of a run's MPI table, what was waiting; seconds over all ranks. They add
/// up to comm_wait_s.
std::vector<double> waiting_in_rows(const RunProfile& run, const MessageCosts& costs);

/// Elapsed seconds per second of sampled CPU time: 1 for one thread a rank. With worker threads CPU
/// time outside MPI exceeds the elapsed time outside MPI; kernels are scaled so that they close on
/// the thread that calls MPI.
double elapsed_per_cpu(const RunProfile& run);

/// Name under which kernels carry their sampled CPU time.
inline constexpr const char* kCpuMetric = "cpu_s";

}  // namespace apmt
