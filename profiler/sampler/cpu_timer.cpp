// Uses system calls for timers instead of libc's functions, because signal handlers delete timers,
// and libc's functions may take locks.

#include "profiler/sampler/cpu_timer.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profiler/runtime/state.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/signal.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace apmt::sampler {
namespace {

using KernelTimer = int;

thread_local KernelTimer t_timer;
thread_local bool t_armed = false;

/// Timers of threads that existed before the recording. The recorder does not see when these
/// threads end. Entries are never removed; a deleted timer has the tid 0.
struct OtherTimer {
  pid_t tid;  // 0: the timer is deleted; atomic
  KernelTimer timer;
};
OtherTimer g_others[1024];
uint32_t g_other_count = 0;

/// The address of this variable marks the recorder's own signals: another sender cannot know it.
const char g_ours = 0;

/// This function and the next one are async-signal-safe.
void delete_timer(KernelTimer timer) { syscall(SYS_timer_delete, timer); }

/// Deletes the timer if its thread has ended; the kernel does not do that.
void delete_if_ended(OtherTimer& other) {
  pid_t tid = __atomic_load_n(&other.tid, __ATOMIC_ACQUIRE);
  if (tid == 0 || syscall(SYS_tgkill, getpid(), tid, 0) == 0 || errno != ESRCH) return;
  if (__atomic_exchange_n(&other.tid, 0, __ATOMIC_ACQ_REL) == tid) delete_timer(other.timer);
}

void look_after_all_others() {
  const uint32_t count = __atomic_load_n(&g_other_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; ++i) delete_if_ended(g_others[i]);
}

struct timespec to_timespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
}

bool set_timer(KernelTimer timer, uint64_t first_ns, uint64_t period_ns) {
  const struct itimerspec spec = {to_timespec(period_ns), to_timespec(first_ns)};
  return syscall(SYS_timer_settime, timer, 0, &spec, nullptr) == 0;
}

/// The calling thread's timer; nullptr if it has none.
const KernelTimer* own_timer() {
  if (t_armed) return &t_timer;
  const uint32_t count = __atomic_load_n(&g_other_count, __ATOMIC_ACQUIRE);
  if (count == 0) return nullptr;
  const pid_t own = static_cast<pid_t>(syscall(SYS_gettid));
  for (uint32_t i = 0; i < count; ++i)
    if (__atomic_load_n(&g_others[i].tid, __ATOMIC_ACQUIRE) == own) return &g_others[i].timer;
  return nullptr;
}

const char* arm(clockid_t clock, pid_t tid, uint64_t period_ns, KernelTimer* timer) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = our_signal();
  event.sigev_notify_thread_id = tid;
  event.sigev_value.sival_ptr = const_cast<char*>(&g_ours);
  if (syscall(SYS_timer_create, clock, &event, timer) != 0) return strerror(errno);
  if (set_timer(*timer, period_ns, period_ns)) return nullptr;
  const char* why = strerror(errno);
  delete_timer(*timer);
  return why;
}

/// Sends the calling thread the signal that the operating system sends when the thread's timer
/// expires.
bool send_as_timer() {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_code = SI_TIMER;
  info.si_value.sival_ptr = const_cast<char*>(&g_ours);
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), our_signal(), &info) == 0;
}

}  // namespace

bool is_from_cpu_timer(const siginfo_t& info) {
  return info.si_code == SI_TIMER && info.si_value.sival_ptr == &g_ours;
}

const char* start_cpu_timer(uint64_t period_ns) {
  look_after_all_others();
  const char* const why =
      arm(CLOCK_THREAD_CPUTIME_ID, static_cast<pid_t>(syscall(SYS_gettid)), period_ns, &t_timer);
  t_armed = why == nullptr;
  return why;
}

const char* start_cpu_timer_of(pid_t tid, uint64_t period_ns) {
  if (g_other_count == sizeof g_others / sizeof *g_others) return "there are too many of them";
  OtherTimer& other = g_others[g_other_count];
  if (const char* why = arm(rt::cpu_clock_of(tid), tid, period_ns, &other.timer)) return why;
  other.tid = tid;
  __atomic_store_n(&g_other_count, g_other_count + 1, __ATOMIC_RELEASE);
  return nullptr;
}

void stop_cpu_timer() {
  look_after_all_others();
  if (!t_armed) return;
  t_armed = false;
  delete_timer(t_timer);
}

void restart_cpu_timer(uint64_t period_ns) {
  if (t_armed) set_timer(t_timer, period_ns, period_ns);
}

bool hold_cpu_timer(int64_t* left_ns) {
  const KernelTimer* const timer = own_timer();
  if (timer == nullptr) return false;
  const struct itimerspec off = {{0, 0}, {0, 0}};
  struct itimerspec before;
  if (syscall(SYS_timer_settime, *timer, 0, &off, &before) != 0) return false;
  *left_ns = int64_t{before.it_value.tv_sec} * 1000000000 + before.it_value.tv_nsec;
  return true;
}

void release_cpu_timer(int64_t left_ns, uint64_t period_ns) {
  if (const KernelTimer* const timer = own_timer())
    set_timer(*timer, static_cast<uint64_t>(left_ns), period_ns);
}

void look_after_other_timers() {
  constexpr uint32_t kSeldom = 16;
  static uint32_t calls = 0;
  const uint32_t count = __atomic_load_n(&g_other_count, __ATOMIC_ACQUIRE);
  if (count == 0) return;
  const uint32_t call = __atomic_fetch_add(&calls, 1u, __ATOMIC_RELAXED);
  if (call % kSeldom == 0) delete_if_ended(g_others[call / kSeldom % count]);
}

const char* time_timer_signals(SampleCost* cost) {
  const format::Header& header = *rt::state().recording.header;
  constexpr int kRounds = 16;
  cost->whole_ns = UINT64_MAX;
  for (int trial = 0; trial < 3; ++trial) {
    const uint64_t handler_before_ns = header.handler_ns;
    const int64_t begin_ns = rt::thread_cpu_ns();
    for (int i = 0; i < kRounds; ++i)
      if (!send_as_timer()) return strerror(errno);
    const auto took_ns = static_cast<uint64_t>(rt::thread_cpu_ns() - begin_ns);
    if (took_ns / kRounds >= cost->whole_ns) continue;
    *cost = {took_ns / kRounds, (header.handler_ns - handler_before_ns) / kRounds};
  }
  return nullptr;
}

}  // namespace apmt::sampler
