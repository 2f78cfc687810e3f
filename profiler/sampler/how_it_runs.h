// Reads what shows whether a thread has its core to itself: elapsed time, CPU time and number of
// context switches. Also measures the cost of reading a CPU clock.
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#include "profiler/runtime/runtime.h"

namespace apmt::sampler {

/// Totals of one thread; differences between two readings show how it ran in between.
struct HowItRuns {
  int64_t wall_ns;
  int64_t cpu_ns;
  uint64_t switches;  // context switches
};

/// Reads the totals of the calling thread.
inline HowItRuns look_how_it_runs() {
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) usage = {};
  return {rt::now_ns(), rt::thread_cpu_ns(),
          static_cast<uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw)};
}

/// The time that one reading of the CPU clock takes: the shortest of a few readings, because a
/// single reading may be slow on a busy core. Async-signal-safe.
inline int64_t cpu_clock_cost_ns() {
  constexpr int kReadings = 4;
  int64_t least_ns = INT64_MAX;
  int64_t before_ns = rt::thread_cpu_ns();
  for (int i = 0; i < kReadings; ++i) {
    const int64_t now_ns = rt::thread_cpu_ns();
    if (now_ns - before_ns < least_ns) least_ns = now_ns - before_ns;
    before_ns = now_ns;
  }
  return least_ns;
}

}  // namespace apmt::sampler
