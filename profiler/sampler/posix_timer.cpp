// A POSIX timer on each thread's CPU clock. Nearly free, but it ticks no faster than the kernel's
// tick; expiries that fell into one tick arrive as one signal with an overrun count, which is kept.

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profiler/runtime/state.h"
#include "profiler/runtime/tables.h"
#include "profiler/sampler/source.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace apmt::sampler {
namespace {

int g_signal = 0;  // chosen once; 0 = not yet
thread_local timer_t t_timer;
thread_local bool t_armed = false;

/// Marks our own signals: another sender cannot know this address.
const char g_ours = 0;

void on_signal(int, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &g_ours) {
    take_sample(program_counter(context), 1 + static_cast<uint64_t>(info->si_overrun));
  } else if (rt::recording()) {
    rt::add(rt::state().recording.header->samples_foreign, 1);
  }
  errno = saved_errno;
}

bool is_free(int signal) {
  struct sigaction current;
  return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_DFL;
}

/// SIGURG when nobody handles it: its default is to be ignored, so that a program which resets every
/// signal loses our samples and not its life. Otherwise a real-time signal from the top, where programs
/// rarely look.
const char* take_signal() {
  if (g_signal != 0) return nullptr;
  int candidate = SIGURG;
  if (!is_free(candidate))
    for (candidate = SIGRTMAX - 1; candidate > SIGRTMIN + 3 && !is_free(candidate);) --candidate;
  if (!is_free(candidate)) return "no free signal";
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (sigaction(candidate, &action, nullptr) != 0) return strerror(errno);
  g_signal = candidate;
  return nullptr;
}

/// A thread that blocks our signal would find it pending when it waits for signals itself.
bool signal_is_blocked() {
  sigset_t blocked;
  return pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, g_signal) == 1;
}

const char* start_thread(uint64_t period_ns) {
  if (const char* why = take_signal()) return why;
  if (signal_is_blocked()) return "a thread that blocks all signals is not sampled";
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = g_signal;
  event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  event.sigev_value.sival_ptr = const_cast<char*>(&g_ours);
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &t_timer) != 0) return strerror(errno);
  struct itimerspec spec;
  spec.it_interval.tv_sec = static_cast<time_t>(period_ns / 1000000000);
  spec.it_interval.tv_nsec = static_cast<long>(period_ns % 1000000000);
  spec.it_value = spec.it_interval;
  if (timer_settime(t_timer, 0, &spec, nullptr) != 0) {
    const char* why = strerror(errno);
    timer_delete(t_timer);
    return why;
  }
  t_armed = true;
  return nullptr;
}

void stop_thread() {
  if (!t_armed) return;
  t_armed = false;
  timer_delete(t_timer);
}

/// The tick that expires the timer comes in any case; ours is the signal: raise it and see. The
/// handler takes it for foreign, which costs as much.
const char* measure_cost_ns(uint64_t* cost_ns) {
  const char* why = start_thread(1000000000);  // does the kernel grant such a timer at all?
  if (why != nullptr) return why;
  stop_thread();
  constexpr int kRounds = 16;
  int64_t best = INT64_MAX;
  for (int trial = 0; trial < 3; ++trial) {
    const int64_t begin = rt::thread_cpu_ns();
    for (int i = 0; i < kRounds; ++i) raise(g_signal);
    const int64_t took = rt::thread_cpu_ns() - begin;
    if (took < best) best = took;
  }
  rt::state().recording.header->samples_foreign = 0;
  *cost_ns = static_cast<uint64_t>(best) / kRounds;
  return nullptr;
}

}  // namespace

const Source kPosixTimer = {format::SampleSource::kPosixTimer, "CLOCK_THREAD_CPUTIME_ID", start_thread,
                            stop_thread, measure_cost_ns};

}  // namespace apmt::sampler
