// Summary of a run's MPI calls: the time of each operation and how much of that was waiting, how
// much of non-blocking communication overlapped, which ranks communicate, and the POP
// efficiencies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/pattern.h"

namespace apmt {

/// One operation on communicators of one size with messages of one size class, summed over ranks.
/// Bytes count for the operation that moved them, not for the Wait that ended it.
struct MpiOperation {
  std::string op;        // "MPI_Irecv"
  std::string op_class;  // as in MpiRow
  std::int64_t comm_size = 0;
  int size_class = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  double time_s = 0;                 // inside the calls
  std::optional<double> low_s;       // a tenth of the calls take no longer; absent: beyond the bins
  std::optional<double> transfer_s;  // the part of time_s without waiting; absent: not known
  std::string transfer_from;         // "instances", "low quantile", "alone"; empty: not known
  std::uint64_t completed = 0;       // non-blocking operations that ended
  double flight_s = 0;               // from post to completion, summed over them
  std::optional<double> min_flight_s;  // the shortest of them
  double blocked_s = 0;                // part of flight_s inside Wait, Test and similar calls
};

/// Efficiencies as the POP project defines them. Absent if they cannot be computed from the run.
struct Efficiencies {
  std::optional<double> load_balance;   // mean / maximum over ranks of the time outside MPI
  std::optional<double> communication;  // the same maximum / elapsed
  std::optional<double> parallel;       // product of both
  std::optional<double> transfer;       // elapsed with an instantaneous network / elapsed
  std::optional<double> serialisation;  // communication / transfer
};

struct Communication {
  std::vector<MpiOperation> operations;
  /// Share of the time between post and completion, over all operations, during which the rank was
  /// blocked; blocking calls are always blocked.
  std::optional<double> bf_comm;
  /// Waiting in synchronising collectives, mean over ranks, from calls of which all ranks kept an
  /// instance.
  std::optional<double> coll_wait_s;
  /// Share of the time in synchronising collectives that these calls cover.
  std::optional<double> coll_wait_coverage;
  Pattern pattern;
  Efficiencies pop;
};

}  // namespace apmt
