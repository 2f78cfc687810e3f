#include "profiler/runtime/call_clock.h"

#if defined(__x86_64__) && !defined(APMT_RANKS_SHARE_A_PROCESS)

#include <cpuid.h>
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "profiler/runtime/small_file.h"
#include "profiler/runtime/threads.h"

namespace apmt::rt {

CallClock g_call_clock;

namespace {

constexpr int64_t kRateFromNs = 4000000;  // the shortest time over which the rate is measured
constexpr int64_t kCompareEveryNs = 1000000000;
/// How far counter and clock may drift apart from one comparison to the next, in addition to a
/// thousandth of the time between the comparisons. They drift apart because the kernel slews
/// CLOCK_MONOTONIC.
constexpr int64_t kAllowedNs = 100000;

struct Reading {
  uint64_t ticks;
  int64_t ns;
  bool sharp;  // the thread was not interrupted between the two readings
};

Reading read_both() {
  constexpr uint64_t kSharpTicks = 2000;
  Reading r = {};
  for (int attempt = 0; attempt < 8 && !r.sharp; ++attempt) {
    const uint64_t before = __builtin_ia32_rdtsc();
    r.ns = now_ns();
    const uint64_t after = __builtin_ia32_rdtsc();
    r.ticks = before + (after - before) / 2;
    r.sharp = after - before < kSharpTicks;
  }
  return r;
}

enum Phase : uint32_t { kOff, kBegun, kBusy, kInUse };
uint32_t g_phase;  // atomic; the thread that sets kBusy may write the data below and g_call_clock
Reading g_begin;

/// Whether the time-stamp counter has a constant rate, programs may read it, and the kernel derives
/// its clock from it (the kernel stops doing so when the counters of processors diverge).
bool is_usable() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kPowerManagement = 0x80000007, kInvariant = 1u << 8;
  if (__get_cpuid(kPowerManagement, &a, &b, &c, &d) == 0 || (d & kInvariant) == 0) return false;
  int allowed = 0;
  if (prctl(PR_GET_TSC, &allowed) != 0 || allowed != PR_TSC_ENABLE) return false;
  char name[32];
  read_small_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name,
                  sizeof name);
  return strcmp(name, "tsc\n") == 0;
}

uint64_t ticks_in(int64_t ns, uint64_t rate) {
  return (static_cast<uint64_t>(ns) << 32) / rate;  // `ns` is a few seconds at most: no overflow
}

void find_rate() {
  const Reading now = read_both();
  const int64_t ns = now.ns - g_begin.ns;
  CallClock& c = g_call_clock;
  if (!now.sharp || ns <= 0 || now.ticks <= g_begin.ticks) return;
  __extension__ using Wide = unsigned __int128;
  const Wide rate = (static_cast<Wide>(ns) << 32) / (now.ticks - g_begin.ticks);
  if (rate < (1u << 24) || rate > (uint64_t{1} << 40)) return;  // no processor has such a rate
  c.begin_ticks = g_begin.ticks;
  c.begin_ns = g_begin.ns;
  c.rate = static_cast<uint64_t>(rate);
  __atomic_store_n(&c.span, now.ticks - g_begin.ticks + ticks_in(kCompareEveryNs, c.rate),
                   __ATOMIC_RELEASE);
}

int64_t time_of(uint64_t ticks) {
  const CallClock& c = g_call_clock;
  __extension__ using Wide = unsigned __int128;
  return c.begin_ns + static_cast<int64_t>(static_cast<Wide>(ticks - c.begin_ticks) * c.rate >> 32);
}

/// The result of the last comparison: how far the counter was ahead of the clock, and the time at
/// which they were compared.
int64_t g_ahead_ns, g_compared_ns;

/// False if counter and clock have moved apart since the last comparison.
bool compare() {
  const Reading now = read_both();
  CallClock& c = g_call_clock;
  const uint64_t passed = now.ticks - c.begin_ticks;
  if (now.sharp) {
    const int64_t ahead_ns = time_of(now.ticks) - now.ns;
    const int64_t since_ns = now.ns - (g_compared_ns == 0 ? c.begin_ns : g_compared_ns);
    const int64_t moved_ns = ahead_ns - g_ahead_ns;
    const int64_t allowed_ns = kAllowedNs + since_ns / 1000;
    if (moved_ns > allowed_ns || moved_ns < -allowed_ns) return false;
    g_ahead_ns = ahead_ns;
    g_compared_ns = now.ns;
  }
  __atomic_store_n(&c.span, passed + ticks_in(kCompareEveryNs, c.rate), __ATOMIC_RELEASE);
  return true;
}

}  // namespace

void begin_call_clock() {
  uint32_t phase = kOff;
  if (!is_usable() || !__atomic_compare_exchange_n(&g_phase, &phase, kBusy, false, __ATOMIC_ACQ_REL,
                                                   __ATOMIC_RELAXED))
    return;
  g_begin = read_both();
  __atomic_store_n(&g_phase, g_begin.sharp ? kBegun : kOff, __ATOMIC_RELEASE);
}

int64_t slow_call_ns() {
  const int64_t ns = now_ns();
  uint32_t phase = __atomic_load_n(&g_phase, __ATOMIC_ACQUIRE);
  if (phase != kInUse && phase != kBusy && (phase != kBegun || ns - g_begin.ns < kRateFromNs))
    return ns;
  // Once the counter is in use, this function, too, returns the counter's time. The time at the
  // beginning of an MPI call comes from the counter, so the time at the end of the call must come
  // from it, too: over hours, the counter and the kernel's clock drift apart.
  const bool in_use = __atomic_load_n(&g_call_clock.span, __ATOMIC_ACQUIRE) != 0;
  if (phase == kBusy || !__atomic_compare_exchange_n(&g_phase, &phase, kBusy, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return in_use ? time_of(__builtin_ia32_rdtsc()) : ns;  // another thread is comparing
  uint32_t next = kInUse;
  if (!in_use) {
    find_rate();
    if (g_call_clock.span == 0) next = kBegun;
  } else if (!compare()) {
    __atomic_store_n(&g_call_clock.span, 0, __ATOMIC_RELEASE);
    note(
        "the processor's time-stamp counter and CLOCK_MONOTONIC disagree: from then on only the "
        "clock is read; times of calls in the second before may be wrong");
    next = kOff;
  }
  __atomic_store_n(&g_phase, next, __ATOMIC_RELEASE);
  return in_use && next == kInUse ? time_of(__builtin_ia32_rdtsc()) : ns;
}

}  // namespace apmt::rt

#endif
