// Reads a clock of the system. Async-signal-safe.
#pragma once

#include <stdint.h>
#include <time.h>

namespace apmt::rt {

inline int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

}  // namespace apmt::rt
