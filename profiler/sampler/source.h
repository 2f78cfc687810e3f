// The interface of a source of samples. A source is started per thread. Its signal handler and some
// of the functions below call take_sample().
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "profiler/profile_format.h"

namespace apmt::sampler {

/// The cost of one sample.
struct SampleCost {
  uint64_t whole_ns;    // including its delivery by the kernel
  uint64_t handler_ns;  // the part inside the recorder's handler
};

/// All sources are constant-initialised, because they are used before constructors run.
struct Source {
  format::SampleSource kind;
  const char* event_name;  // as the profile names it
  /// Starts sampling the calling thread every `period` ns (the hardware source has its own
  /// periods). Returns nullptr on success, otherwise the reason for the failure.
  const char* (*start_thread)(uint64_t period);
  void (*stop_thread)();
  /// Like start_thread(), for another thread of the process. The member is nullptr if only the
  /// thread itself can start its sampling.
  const char* (*start_other_thread)(pid_t tid, uint64_t period);
  /// Measures the cost of one sample on this machine. Returns nullptr on success, otherwise the
  /// reason why the source does not work here. The calling thread must not be sampled already.
  const char* (*measure_cost)(SampleCost* cost);
  /// To be called at the beginning and at the end of the main stage, for the calling thread.
  /// nullptr: the source has nothing to do then.
  void (*begin_main)();
  void (*end_main)();
  /// Records the values of the calling thread's counters; nullptr: the source has none.
  void (*note_totals)();
  /// Takes the calling thread's samples from the kernel's buffer. Async-signal-safe. nullptr: every
  /// sample comes with a signal.
  void (*take_written)();
  /// hold() is called when the calling thread has blocked the sampling signal. From then on, the
  /// source must send it no signal until release(). Samples from between the two calls count for
  /// `pc` if their own place is unknown. Both functions are async-signal-safe. nullptr: the source
  /// has nothing to do.
  void (*hold)();
  void (*release)(uint64_t pc);
};

extern const Source kHardware;
extern const Source kTaskClock;
extern const Source kPosixTimer;

/// Sampling may cost 1/200 of the time (0.5 %) and take at most 1,000 samples per second and
/// thread.
inline constexpr uint64_t kCostShareInverse = 200;
inline constexpr uint64_t kShortestPeriodNs = 1000000;
inline constexpr uint64_t kLongestPeriodNs = 50000000;
constexpr uint64_t affordable_period_ns(const SampleCost& cost) {
  const uint64_t ns = cost.whole_ns * kCostShareInverse;
  return ns < kShortestPeriodNs ? kShortestPeriodNs : ns > kLongestPeriodNs ? kLongestPeriodNs : ns;
}

/// Records one sample of event number `event` at `pc` that stands for `weight` periods.
/// Async-signal-safe; the caller must save errno.
void take_sample(uint64_t pc, uint32_t event, uint64_t weight);

/// Records the value of the calling thread's counter of event number `event`. Async-signal-safe.
void note_total(uint32_t event, const format::CounterTotal& total);

/// To be called at the beginning and end of a handler, or of other code that takes samples. Adds
/// the time in between and the number of delivered signals to the cost of recording. Also records
/// the present time: if the process is killed, this is the last time at which it is known to have
/// run. Async-signal-safe.
int64_t handler_begins();
void handler_ends(int64_t begin_ns, uint64_t deliveries = 1);

/// Call Source::hold and Source::release if there is a source.
void hold_samples();
void release_samples(uint64_t pc);

/// Whether a sample taken now would count as the program's own computation. Async-signal-safe.
bool is_computing();

}  // namespace apmt::sampler
