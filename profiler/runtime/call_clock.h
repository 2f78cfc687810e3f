// The clock with which wrappers time MPI calls. Reading CLOCK_MONOTONIC is most of a wrapper's
// cost. If the kernel derives that clock from the processor's time-stamp counter, the wrapper reads
// the counter instead, which costs half as much. The counter and the clock are compared every
// second; once they disagree, only the kernel's clock is read. Ranks in a simulation use the
// simulated clock.
#pragma once

#include "profiler/runtime/runtime.h"

namespace apmt::rt {

#if defined(__x86_64__) && !defined(APMT_RANKS_SHARE_A_PROCESS)

struct CallClock {
  uint64_t begin_ticks;  // the counter, read together with begin_ns
  int64_t begin_ns;      // CLOCK_MONOTONIC
  uint64_t rate;         // ns per tick, times 2^32
  uint64_t span;  // the counter is trusted for this many ticks after begin_ticks; 0: it is not used
};
extern CallClock g_call_clock;

/// To be called at MPI_Init. The counter is used as soon as its rate is known. Not
/// async-signal-safe.
void begin_call_clock();

/// Returns the counter's time if the counter is in use, otherwise that of the kernel's clock. If it
/// is time to measure the counter's rate or to compare counter and clock, does so first.
int64_t slow_call_ns();

/// CLOCK_MONOTONIC, accurate to a thousandth of the time since MPI_Init. Async-signal-safe.
inline int64_t call_ns() {
  const CallClock& c = g_call_clock;
  if (const uint64_t span = __atomic_load_n(&c.span, __ATOMIC_ACQUIRE)) {
    const uint64_t passed = __builtin_ia32_rdtsc() - c.begin_ticks;
    __extension__ using Wide = unsigned __int128;
    if (passed < span)
      return c.begin_ns + static_cast<int64_t>(static_cast<Wide>(passed) * c.rate >> 32);
  }
  return slow_call_ns();
}

#else

inline void begin_call_clock() {}
inline int64_t call_ns() { return now_ns(); }

#endif

}  // namespace apmt::rt
