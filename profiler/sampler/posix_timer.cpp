// A POSIX timer on each thread's CPU clock. Nearly free, but it ticks no faster than the kernel's
// tick; expiries that fell into one tick arrive as one signal with an overrun count, which is kept.
// Timers are the kernel's own, without libc, whose functions may take locks: a handler deletes
// them.

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profiler/runtime/state.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/signal.h"
#include "profiler/sampler/source.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace apmt::sampler {
namespace {

using KernelTimer = int;

thread_local KernelTimer t_timer;
thread_local bool t_armed = false;

/// Of threads that were there before the recording began: we do not see them end. Filled once.
struct OtherTimer {
  pid_t tid;  // 0: deleted; atomic
  KernelTimer timer;
};
OtherTimer g_others[1024];
uint32_t g_other_count = 0;

/// Marks our own signals: another sender cannot know this address.
const char g_ours = 0;

/// Async-signal-safe, as are the next two.
void delete_timer(KernelTimer timer) { syscall(SYS_timer_delete, timer); }

/// The kernel keeps the timer of a thread that has ended until somebody deletes it.
void delete_if_ended(OtherTimer& other) {
  pid_t tid = __atomic_load_n(&other.tid, __ATOMIC_ACQUIRE);
  if (tid == 0 || syscall(SYS_tgkill, getpid(), tid, 0) == 0 || errno != ESRCH) return;
  if (__atomic_exchange_n(&other.tid, 0, __ATOMIC_ACQ_REL) == tid) delete_timer(other.timer);
}

/// Now and then one of them in turn, so that handlers take no longer for a thousand.
void look_after_one_other() {
  constexpr uint32_t kSeldom = 16;
  static uint32_t calls = 0;
  const uint32_t count = __atomic_load_n(&g_other_count, __ATOMIC_ACQUIRE);
  if (count == 0) return;
  const uint32_t call = __atomic_fetch_add(&calls, 1u, __ATOMIC_RELAXED);
  if (call % kSeldom == 0) delete_if_ended(g_others[call / kSeldom % count]);
}

void look_after_all_others() {
  const uint32_t count = __atomic_load_n(&g_other_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; ++i) delete_if_ended(g_others[i]);
}

void on_signal(int, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &g_ours) {
    const int64_t begin_ns = handler_begins();
    take_sample(program_counter(context), 0, 1 + static_cast<uint64_t>(info->si_overrun));
    look_after_one_other();
    handler_ends(begin_ns);
  } else {
    count_foreign_signal();
  }
  errno = saved_errno;
}

const char* arm(clockid_t clock, pid_t tid, uint64_t period_ns, KernelTimer* timer) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = our_signal();
  event.sigev_notify_thread_id = tid;
  event.sigev_value.sival_ptr = const_cast<char*>(&g_ours);
  if (syscall(SYS_timer_create, clock, &event, timer) != 0) return strerror(errno);
  struct itimerspec spec;
  spec.it_interval.tv_sec = static_cast<time_t>(period_ns / 1000000000);
  spec.it_interval.tv_nsec = static_cast<long>(period_ns % 1000000000);
  spec.it_value = spec.it_interval;
  if (syscall(SYS_timer_settime, *timer, 0, &spec, nullptr) == 0) return nullptr;
  const char* why = strerror(errno);
  delete_timer(*timer);
  return why;
}

const char* start_thread(uint64_t period_ns) {
  if (const char* why = claim_signal(on_signal)) return why;
  look_after_all_others();
  if (signal_is_blocked()) return "a thread that blocks all signals is not sampled";
  const char* const why =
      arm(CLOCK_THREAD_CPUTIME_ID, static_cast<pid_t>(syscall(SYS_gettid)), period_ns, &t_timer);
  t_armed = why == nullptr;
  return why;
}

const char* start_other_thread(pid_t tid, uint64_t period_ns) {
  if (signal_is_blocked_by(tid)) return "a thread that blocks all signals is not sampled";
  if (g_other_count == sizeof g_others / sizeof *g_others) return "there are too many of them";
  OtherTimer& other = g_others[g_other_count];
  if (const char* why = arm(rt::cpu_clock_of(tid), tid, period_ns, &other.timer)) return why;
  other.tid = tid;
  __atomic_store_n(&g_other_count, g_other_count + 1, __ATOMIC_RELEASE);
  return nullptr;
}

void stop_thread() {
  look_after_all_others();
  if (!t_armed) return;
  t_armed = false;
  delete_timer(t_timer);
}

/// As the kernel does when a timer expires.
bool send_expiry() {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_code = SI_TIMER;
  info.si_value.sival_ptr = const_cast<char*>(&g_ours);
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), our_signal(), &info) == 0;
}

/// The tick that expires the timer comes in any case; ours are the signal and the handler: they are
/// timed together, the handler also by itself.
const char* measure_cost(SampleCost* cost) {
  const char* why = start_thread(1000000000);  // does the kernel grant such a timer at all?
  if (why != nullptr) return why;
  stop_thread();
  const format::Header& header = *rt::state().recording.header;
  constexpr int kRounds = 16;
  cost->whole_ns = UINT64_MAX;
  for (int trial = 0; trial < 3; ++trial) {
    const uint64_t handler_before_ns = header.handler_ns;
    const int64_t begin_ns = rt::thread_cpu_ns();
    for (int i = 0; i < kRounds; ++i)
      if (!send_expiry()) return strerror(errno);
    const auto took_ns = static_cast<uint64_t>(rt::thread_cpu_ns() - begin_ns);
    if (took_ns / kRounds >= cost->whole_ns) continue;
    *cost = {took_ns / kRounds, (header.handler_ns - handler_before_ns) / kRounds};
  }
  return nullptr;
}

}  // namespace

constinit const Source kPosixTimer = {format::SampleSource::kPosixTimer,
                                      "CLOCK_THREAD_CPUTIME_ID",
                                      start_thread,
                                      stop_thread,
                                      start_other_thread,
                                      measure_cost,
                                      nullptr};

}  // namespace apmt::sampler
