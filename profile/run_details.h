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
  double wall_s = 0;  // how long it lived, as far as recorded
  double cpu_s = 0;
  std::uint64_t samples = 0;
  std::optional<double> cycles;  // unhalted, in user mode; absent where they are not counted
  std::optional<double> sampled_share = {};  // the smallest of its events, see EventTotal
  /// If samples come from a clock: its time between MPI_Init and MPI_Finalize, once by its CPU
  /// clock and once by its samples.
  std::optional<double> main_cpu_s = {};
  std::optional<double> main_sampled_s = {};
};

/// The count of a sampled event as the counter itself gives it, over all threads. It is compared
/// with the samples.
struct EventTotal {
  std::string event;
  double counted = 0;        // in the event's unit: counts, nanoseconds of a clock
  double intervals = 0;      // how many samples that should have given
  double sampled_share = 1;  // the share of `counted` that the samples account for
  /// True if overflows were lost, or threads ended before their first one. With fewer than ten
  /// intervals the unfinished last one dominates, and the share means nothing.
  bool lacks_samples() const { return intervals >= 10 && sampled_share < 0.9; }
};

/// The cost of one event of recording, in seconds; the mean over ranks. Absent: not measured.
struct OwnCost {
  std::optional<double> sample_s;    // calibrated at start: delivery_s + handler_s
  std::optional<double> delivery_s;  // by the kernel
  std::optional<double> handler_s;
  std::optional<double> handler_in_run_s;  // mean over all calls of the handler in the run
  std::optional<double> task_clock_s;  // of one sample of a task clock; absent: no rank tried one
  std::optional<double> mpi_call_s;    // calibrated: what one wrapper adds
};

/// A value of another tool's file, the mean per rank. All of them are kept, because kernels and
/// times have no place for counts of MPI operations and the like; apmt export writes them
/// unchanged.
struct ImportedValue {
  std::string callpath;  // empty: the whole program
  std::string metric;
  double value = 0;
};

/// Version by name ("libc", "papi").
using Libraries = std::map<std::string, std::string>;

}  // namespace apmt
