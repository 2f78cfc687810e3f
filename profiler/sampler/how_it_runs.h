// What shows whether a thread has its core to itself: elapsed time, CPU time, and number of context
// switches.
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#include "profiler/runtime/runtime.h"

namespace apmt::sampler {

/// Totals of one thread, to be compared with earlier ones.
struct HowItRuns {
  int64_t wall_ns;
  int64_t cpu_ns;
  uint64_t switches;  // context switches
};

/// Reads them for the calling thread.
inline HowItRuns look_how_it_runs() {
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) usage = {};
  return {rt::now_ns(), rt::thread_cpu_ns(),
          static_cast<uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw)};
}

}  // namespace apmt::sampler
