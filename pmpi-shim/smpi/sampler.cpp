// The sampler for SMPI: one timer on the CPU clock of the one thread that all ranks share. A sample
// belongs to the rank whose copy of the program was running or, if a shared library was running, to
// the active rank. If that rank is inside MPI, the simulator itself is running; the sample then
// gets the operation of that MPI call and never counts as computation. This code calls no function
// of SimGrid.

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/sampled_place.h"
#include "profiler/runtime/segments.h"
#include "profiler/runtime/simulation.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/tables.h"
#include "profiler/runtime/threads.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace apmt::shim {
namespace {

/// The tick of most Linux kernels; a shorter period would not give more signals.
constexpr int64_t kPeriodNs = 4000000;
constexpr int kSignal = SIGURG;  // by default ignored
constexpr const char* kEventName = "CLOCK_THREAD_CPUTIME_ID";
const char g_ours = 0;  // its address marks the signals of this timer
bool g_is_running = false;
int64_t g_period_ns = 0;

/// The address ranges of the program's copies, by rank.
rt::MappedRange g_copies[rt::kMaxRanksHere];
int g_copy_count = 0;  // the copies of ranks 1 .. g_copy_count - 1 have been searched for

/// If `pc` is in a rank's copy of the program, makes that rank the active one. This is needed
/// because some functions of SMPI that replace those of the C library (sleep, gettimeofday) may
/// switch ranks without calling the recorder.
void find_rank(uint64_t pc) {
  if (g_copies[rt::g_rank_here].contains(pc)) return;
  for (int rank = 1; rank < g_copy_count; ++rank)
    if (g_copies[rank].contains(pc)) {
      rt::g_rank_here = rank;
      return;
    }
}

void take_sample(uint64_t pc, uint64_t weight) {
  find_rank(pc);
  const rt::ThreadState& t = rt::self();
  if (t.slot < 0 || !rt::recording()) return;
  const rt::Recording& r = rt::state().recording;
  rt::add_sample(r.samples, r.section(format::SectionKind::kSamples), rt::state().used_samples,
                 rt::key_of_sample(t, pc), 0, weight);
  rt::add(r.threads[t.slot].samples, weight);
}

void on_signal(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &g_ours) return;
  const int saved_errno = errno;
  take_sample(rt::program_counter(context), 1 + static_cast<uint64_t>(info->si_overrun));
  errno = saved_errno;
}

/// Returns nullptr on success, otherwise the reason for the failure.
const char* start_timer() {
  struct sigaction current;
  if (sigaction(kSignal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL)
    return "sampling is off: the program has a handler for SIGURG";
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kSignal;
  event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  event.sigev_value.sival_ptr = const_cast<char*>(&g_ours);
  const struct timespec period = {g_period_ns / 1000000000, g_period_ns % 1000000000};
  const struct itimerspec spec = {period, period};
  timer_t timer;
  if (sigaction(kSignal, &action, nullptr) != 0 ||
      timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0 ||
      timer_settime(timer, 0, &spec, nullptr) != 0)
    return "sampling is off: the kernel grants no timer on a thread's CPU clock";
  return nullptr;
}

int note_copy(dl_phdr_info* info, size_t, void*) {
  const int rank = rt::rank_of_copy(info->dlpi_name) + 1;
  if (rank <= 0 || rank >= rt::kMaxRanksHere || g_copies[rank].end != 0) return 0;
  g_copies[rank] = rt::mapped_range(*info);
  if (rank >= g_copy_count) g_copy_count = rank + 1;
  return 0;
}

/// Every rank calls this; the first call starts the timer for all.
bool start_process() {
  if (rt::g_rank_here >= g_copy_count) dl_iterate_phdr(note_copy, nullptr);
  if (!g_is_running) {
    const int64_t wanted_ns = rt::env_number("APMT_INTERVAL_NS", 0);
    g_period_ns = wanted_ns > 0 ? wanted_ns : kPeriodNs;
    if (const char* why = start_timer()) {
      rt::note(why);
      return false;
    }
    g_is_running = true;
  }
  const rt::Recording& r = rt::state().recording;
  r.header->sample_source = format::SampleSource::kPosixTimer;
  r.header->events[0].name_offset = rt::append_text(r, "event", kEventName);
  r.header->events[0].period = static_cast<uint64_t>(g_period_ns);
  r.header->event_count = 1;
  return true;
}

__attribute__((constructor(101))) void register_sampler() {
  rt::state().sampler = {start_process, nullptr, nullptr, nullptr,
                         nullptr,       nullptr, nullptr, nullptr};
}

}  // namespace
}  // namespace apmt::shim
