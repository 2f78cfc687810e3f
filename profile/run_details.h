// Details of a run profile: the threads of the ranks, the cost of recording, and versions of
// libraries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

/// A thread with at least a hundredth of the samples of the busiest thread of its rank.
struct ThreadRow {
  int rank = 0;       // position among the recorded ranks
  double wall_s = 0;  // its life, as far as it was recorded
  double cpu_s = 0;
  std::uint64_t samples = 0;
  std::optional<double> cycles;  // unhalted, in user mode; absent where they are not counted
  std::optional<double> sampled_share = {};  // the least of its events, see EventTotal
  /// For clocks, between MPI_Init and MPI_Finalize: the time from the CPU clock, and that from the
  /// samples.
  std::optional<double> main_cpu_s = {};
  std::optional<double> main_sampled_s = {};
};

/// The counts of a sampled event from the counters themselves, over all threads, to compare with
/// the samples.
struct EventTotal {
  std::string event;
  double counted = 0;        // in the event's unit: counts, nanoseconds of a clock
  double intervals = 0;      // how many samples that should have given
  double sampled_share = 1;  // of it, which the samples account for
  /// Overflows were lost, or threads were too short to have any. Below ten intervals the last,
  /// unfinished one dominates, and the share means nothing.
  bool lacks_samples() const { return intervals >= 10 && sampled_share < 0.9; }
};

/// The cost of one event of recording, in seconds; the mean over ranks. Absent: not measured.
struct OwnCost {
  std::optional<double> sample_s;    // calibrated at start: delivery_s + handler_s
  std::optional<double> delivery_s;  // by the kernel
  std::optional<double> handler_s;
  std::optional<double> handler_in_run_s;  // of all handlers of the run
  std::optional<double> task_clock_s;      // of a thread that had one; nothing: none had
  std::optional<double> mpi_call_s;        // calibrated: what one wrapper adds
};

/// Version by name ("libc", "papi").
using Libraries = std::map<std::string, std::string>;

}  // namespace apmt
