// Summary of a run's MPI calls: the time of each operation and how much of it was waiting, how much
// of the non-blocking communication overlapped with other work, which ranks communicate, and the
// POP efficiencies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/pattern.h"

namespace apmt {

/// One operation on communicators of one size with messages of one size class, summed over ranks.
/// Bytes are counted for the operation that moved them, not for the Wait that completed it.
struct MpiOperation {
  std::string op;        // "MPI_Irecv"
  std::string op_class;  // as in MpiRow
  std::int64_t comm_size = 0;
  int size_class = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  double time_s = 0;                 // inside the calls
  std::optional<double> low_s;       // 10 % quantile of the calls' times; absent: not known
  std::optional<double> transfer_s;  // the part of time_s without waiting; absent: not known
  /// How transfer_s was found. "instances": from collectives that all ranks recorded call by call;
  /// "low quantile": low_s times the number of calls; "alone": there is only one rank, which waits
  /// for nobody. Empty: transfer_s is not known.
  std::string transfer_from;
  std::uint64_t completed = 0;         // number of non-blocking operations that completed
  double flight_s = 0;                 // from start to completion, summed over these operations
  std::optional<double> min_flight_s;  // the shortest time from start to completion
  double blocked_s = 0;                // part of flight_s inside Wait, Test and similar calls
};

/// Efficiencies as the POP project defines them. Absent if they cannot be computed from the run.
struct Efficiencies {
  /// Mean / maximum over ranks of the time outside MPI (of the CPU time there, if oversubscribed).
  std::optional<double> load_balance;
  std::optional<double> communication;  // longest time outside MPI / elapsed time
  std::optional<double> parallel;       // load_balance * communication
  std::optional<double> transfer;       // elapsed time with an instantaneous network / elapsed time
  std::optional<double> serialisation;  // communication / transfer
};

struct Communication {
  std::vector<MpiOperation> operations;
  /// Blocking factor of communication: the share of the time between start and completion, over all
  /// operations, in which the rank was blocked. In a blocking call the rank is blocked all the
  /// time.
  std::optional<double> bf_comm;
  /// Time spent waiting in synchronising collectives, mean over ranks. It is computed from the
  /// calls for which every participating rank recorded an instance (profiler/profile_format.h).
  std::optional<double> coll_wait_s;
  /// Share of the time in synchronising collectives for which the waiting time is known.
  std::optional<double> coll_wait_coverage;
  Pattern pattern;
  Efficiencies pop;
};

}  // namespace apmt
