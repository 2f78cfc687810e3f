// Details of a run profile: the threads of the ranks, the cost of recording, and versions of
// libraries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

/// A thread with at least a hundredth of the CPU time of the busiest thread of its rank.
struct ThreadRow {
  int rank = 0;       // position among the recorded ranks
  double wall_s = 0;  // how long the thread lived, as far as recorded
  double cpu_s = 0;
  std::uint64_t samples = 0;
  std::optional<double> cycles;  // unhalted, in user mode; absent where they are not counted
  std::optional<double> sampled_share = {};  // as in EventTotal; the smallest of all events
  /// If samples come from a clock: the thread's CPU time between MPI_Init and MPI_Finalize.
  /// main_cpu_s: by its CPU clock; main_sampled_s: by samples.
  std::optional<double> main_cpu_s = {};
  std::optional<double> main_sampled_s = {};
};

/// The count of a sampled event over all threads. It is read from the counters themselves and
/// compared with the samples.
struct EventTotal {
  std::string event;
  double counted = 0;        // in the event's unit: counts, nanoseconds of a clock
  double intervals = 0;      // (`counted` + what throttling hid) / interval: the expected samples
  double sampled_share = 1;  // the share of `intervals` that have samples
  /// True if samples are missing because overflows were lost, or because threads ended before their
  /// first overflow. With fewer than ten intervals, the share means nothing, because it depends
  /// mostly on the last interval, which is incomplete.
  bool lacks_samples() const { return intervals >= 10 && sampled_share < 0.9; }
};

/// The cost of recording one sample or one MPI call, in seconds; the mean over ranks. Absent: not
/// measured.
struct OwnCost {
  std::optional<double> sample_s;          // calibrated at start: delivery_s + handler_s
  std::optional<double> delivery_s;        // delivery of the signal by the operating system
  std::optional<double> handler_s;         // the recorder's signal handler
  std::optional<double> handler_in_run_s;  // mean over all calls to the handler in the run
  std::optional<double> task_clock_s;  // of one sample of a task clock; absent: no rank tried one
  std::optional<double> mpi_call_s;    // calibrated: what the wrapper adds to one call
};

/// A value from another tool's file, as the mean over ranks. All values are kept, because the
/// other structs have no member for some of them, such as counts of MPI operations; apmt export
/// writes them unchanged.
struct ImportedValue {
  std::string callpath;  // empty: the whole program
  std::string metric;
  double value = 0;
};

/// Versions of libraries, by name ("libc", "papi").
using Libraries = std::map<std::string, std::string>;

}  // namespace apmt
