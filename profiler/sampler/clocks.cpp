// Samples of CPU time. A POSIX timer on each thread's CPU clock says how much of it has passed, at
// the kernel's ticks, and where the thread is then. Where the kernel grants its task clock, that
// says where a thread is whenever a period has passed, which does not depend on ticks: on cores
// that are shared with others these may not find it for a tenth of a second of its CPU time. Such
// threads have one; only what it has missed is given to the place that a tick finds.

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/cpu_timer.h"
#include "profiler/sampler/perf_setting.h"
#include "profiler/sampler/sample_cost.h"
#include "profiler/sampler/signal.h"
#include "profiler/sampler/source.h"
#include "profiler/sampler/task_clock.h"

namespace apmt::sampler {
namespace {

constexpr const char* kAtTicks =
    "samples are taken at the kernel's ticks, which may be wrong where cores are shared: the task "
    "clock is not available";

uint64_t g_period_ns = 0;
bool g_is_period_given = false;  // by who asked for the recording: whatever samples cost
bool g_wants_task_clock = false;

/// What a sample of the task clock costs is measured by the first thread that wants one: most
/// programs have a core for each rank, and the kernel takes long to open the first.
enum class Known : uint32_t { kNothing, kSoon, kCost, kDoesNotWork };
Known g_task_clock = Known::kNothing;  // atomic
uint64_t g_task_clock_cost_ns = 0;
uint64_t g_periods_per_sample = 1;  // of the task clock: its samples may cost more than signals

/// Of a thread, from some time on.
struct HowItRuns {
  int64_t wall_ns;
  int64_t cpu_ns;
  uint64_t switches;  // to other threads
};

struct ThreadClock {
  TaskClock task_clock;
  bool busy;               // its samples are being taken
  uint64_t passed;         // periods of CPU time, by the timer
  uint64_t given;          // of them, to samples
  uint64_t signals;        // of the timer, between MPI_Init and MPI_Finalize
  HowItRuns before;        // when it was last looked at
  uint64_t task_clock_ns;  // what it has cost and is not noted yet
};
/// A thread that existed before the recording does not begin its own.
thread_local ThreadClock t_clock = {};

void follow_task_clock() {
  rt::ThreadState& self = rt::self();
  self.written = t_clock.task_clock.is_on() ? t_clock.task_clock.written() : &rt::kNothingWritten;
  self.taken = t_clock.task_clock.is_on() ? t_clock.task_clock.taken() : 0;
}

void start_task_clock() {
  if (t_clock.task_clock.start(g_period_ns * g_periods_per_sample) == nullptr) follow_task_clock();
}

void note_task_clock_cost() {
  __atomic_fetch_add(&rt::state().recording.header->task_clock_us,
                     static_cast<uint32_t>(t_clock.task_clock_ns / 1000), __ATOMIC_RELAXED);
  t_clock.task_clock_ns %= 1000;
}

/// Samples that the kernel has written down.
void take_new() {
  if (t_clock.busy || !t_clock.task_clock.is_on()) return;
  t_clock.busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_clock.task_clock.visit_new([&](uint64_t pc) {
    take_sample(pc, 0, g_periods_per_sample);
    t_clock.given += g_periods_per_sample;
    t_clock.task_clock_ns += g_task_clock_cost_ns;
  });
  rt::self().taken = t_clock.task_clock.taken();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_clock.busy = false;
}

void take_written() {
  const int saved_errno = errno;
  const int64_t begin_ns = handler_begins();
  take_new();
  handler_ends(begin_ns, 0);
  errno = saved_errno;
}

void stop_task_clock() {
  if (!t_clock.task_clock.is_on()) return;
  take_written();
  note_task_clock_cost();
  rt::self().written = &rt::kNothingWritten;
  rt::self().taken = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_clock.task_clock.stop();
}

/// Periods that the timer has counted and that were not written down: all of them without a task
/// clock; with one, what it was too late for, had no room for, or may not look at.
void take_rest(uint64_t pc) {
  // Their periods do not begin together. Only a task clock runs on while another guest of the
  // machine has the processor: what it is ahead by then makes up for nothing later.
  const uint64_t slack = t_clock.task_clock.is_on() ? g_periods_per_sample : 0;
  if (t_clock.given > t_clock.passed + slack) t_clock.given = t_clock.passed + slack;
  if (t_clock.passed <= t_clock.given + slack) return;
  const uint64_t rest = t_clock.passed - t_clock.given - slack;
  t_clock.given += rest;
  take_sample(pc, 0, rest);
}

/// How many samples of a trial have come.
uint64_t visit_trial_samples() {
  static thread_local uint64_t samples;
  t_clock.task_clock.visit_new([](uint64_t) { ++samples; });
  return samples;
}

/// Async-signal-safe.
void note_number(const char* key, uint64_t value) {
  char digits[24];
  char* at = digits + sizeof digits;
  *--at = '\0';
  do *--at = static_cast<char>('0' + value % 10);
  while ((value /= 10) > 0);
  rt::append_text(rt::state().recording, key, at);
}

/// Takes half a millisecond, in the handler of a thread that nothing else changes meanwhile.
Known try_task_clock() {
  constexpr uint64_t kTrialPeriodNs = 40000;
  SampleCost cost;
  const char* why = t_clock.task_clock.start(kTrialPeriodNs);
  if (why == nullptr) {
    why = time_samples(visit_trial_samples, &cost);
    t_clock.task_clock.stop();
  }
  if (why != nullptr) {
    rt::note(kAtTicks);
    return Known::kDoesNotWork;
  }
  g_task_clock_cost_ns = cost.whole_ns;
  note_number("task_clock_cost_ns", cost.whole_ns);
  const uint64_t least_period_ns = g_is_period_given ? 0 : cost.whole_ns * kCostShareInverse;
  g_periods_per_sample = least_period_ns / g_period_ns + 1;
  return Known::kCost;
}

void want_task_clock() {
  Known known = Known::kNothing;
  if (__atomic_compare_exchange_n(&g_task_clock, &known, Known::kSoon, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    known = try_task_clock();
    __atomic_store_n(&g_task_clock, known, __ATOMIC_RELEASE);
  }
  if (known == Known::kCost) start_task_clock();
}

/// The calling thread.
HowItRuns look_how_it_runs() {
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) usage = {};
  return {rt::now_ns(), rt::thread_cpu_ns(),
          static_cast<uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw)};
}

/// A thread that has its core to itself is found by every tick: the timer is right then, and costs
/// next to nothing. One that shares it, or sleeps, has a task clock. The kernel stops and starts
/// that whenever the thread gives the processor away and gets it back: a thread that does little
/// else, as ranks do that wait for each other on too few cores, is left to the timer, too; and so
/// is one that runs through many ticks at a stretch.
void weigh_how_it_ran() {
  // A task clock is stopped and started at every switch: so many cost about as much as one sample.
  constexpr uint64_t kSwitchesPerSample = 3;
  constexpr int64_t kShortestStretchNs = 50000;
  constexpr int64_t kLongestStretchNs = 40000000;
  const HowItRuns before = t_clock.before;
  const HowItRuns now = t_clock.before = look_how_it_runs();
  const uint64_t switches = now.switches - before.switches;
  const int64_t wall_ns = now.wall_ns - before.wall_ns;
  const int64_t cpu_ns = now.cpu_ns - before.cpu_ns;
  const int64_t stretch_ns = cpu_ns / static_cast<int64_t>(switches > 0 ? switches : 1);
  if (t_clock.task_clock.is_on()) {
    t_clock.task_clock_ns += switches * g_task_clock_cost_ns / kSwitchesPerSample;
    note_task_clock_cost();
    const bool has_core = cpu_ns > wall_ns / 20 * 19;
    if (has_core || stretch_ns < kShortestStretchNs || stretch_ns > kLongestStretchNs)
      stop_task_clock();
  } else if (cpu_ns < wall_ns / 10 * 9 && stretch_ns > 2 * kShortestStretchNs &&
             stretch_ns < kLongestStretchNs / 2) {
    want_task_clock();
  }
}

/// At each signal of the timer. MPI_Init starts processes and waits for them, which says nothing of
/// the program, and a thread that was there before the recording may have slept since: what counts
/// begins with the first signal in between MPI_Init and MPI_Finalize.
void watch_how_it_runs() {
  constexpr uint64_t kSoon = 4;  // threads that live shortly are not worth a task clock
  constexpr uint64_t kSeldom = 16;
  if (!g_wants_task_clock || rt::stage() != format::Stage::kMain) return;
  const uint64_t earlier = t_clock.signals++;
  if (earlier == 0)
    t_clock.before = look_how_it_runs();
  else if (earlier == kSoon || earlier % kSeldom == 0)
    weigh_how_it_ran();
}

void on_timer(const siginfo_t& info, void* context) {
  const int64_t begin_ns = handler_begins();
  t_clock.passed += 1 + static_cast<uint64_t>(info.si_overrun);
  if (!t_clock.busy) {
    take_new();
    take_rest(program_counter(context));
    watch_how_it_runs();
  }
  look_after_other_timers();
  handler_ends(begin_ns);
}

constexpr Receiver kReceiver = {is_from_cpu_timer, on_timer};

constexpr const char* kBlocked = "a thread that blocks all signals is not sampled";

const char* start_timer(uint64_t period_ns) {
  if (const char* why = claim_signal(kReceiver)) return why;
  if (signal_is_blocked()) return kBlocked;
  return start_cpu_timer(period_ns);
}

const char* start_thread(uint64_t period_ns) {
  t_clock = {};
  g_period_ns = period_ns;
  return start_timer(period_ns);
}

const char* start_thread_with_task_clock(uint64_t period_ns) {
  g_wants_task_clock = true;
  return start_thread(period_ns);
}

const char* start_other_thread(pid_t tid, uint64_t period_ns) {
  if (signal_is_blocked_by(tid)) return kBlocked;
  return start_cpu_timer_of(tid, period_ns);
}

void stop_thread() {
  stop_task_clock();
  stop_cpu_timer();
}

/// The tick that expires the timer comes in any case; ours are the signal and the handler: they are
/// timed together, the handler also by itself.
const char* measure_timer_cost(SampleCost* cost) {
  // Does the kernel grant such a timer at all?
  if (const char* why = start_timer(1000000000)) return why;
  stop_cpu_timer();
  const format::Header& header = *rt::state().recording.header;
  constexpr int kRounds = 16;
  cost->whole_ns = UINT64_MAX;
  for (int trial = 0; trial < 3; ++trial) {
    const uint64_t handler_before_ns = header.handler_ns;
    const int64_t begin_ns = rt::thread_cpu_ns();
    for (int i = 0; i < kRounds; ++i)
      if (!send_as_cpu_timer()) return strerror(errno);
    const auto took_ns = static_cast<uint64_t>(rt::thread_cpu_ns() - begin_ns);
    if (took_ns / kRounds >= cost->whole_ns) continue;
    *cost = {took_ns / kRounds, (header.handler_ns - handler_before_ns) / kRounds};
  }
  return nullptr;
}

const char* measure_task_clock_cost(SampleCost* cost) {
  if (const char* why = task_clock_is_refused()) {
    static char text[256];
    snprintf(text, sizeof text, "%s: %s%s", kAtTicks, why, perf_setting_forbids());
    rt::note(text);
    return why;
  }
  g_is_period_given = rt::env_number("APMT_INTERVAL_NS", 0) > 0;  // a handler may not ask
  return measure_timer_cost(cost);
}

}  // namespace

constinit const Source kTaskClock = {format::SampleSource::kTaskClock,
                                     "PERF_COUNT_SW_TASK_CLOCK",
                                     start_thread_with_task_clock,
                                     stop_thread,
                                     start_other_thread,
                                     measure_task_clock_cost,
                                     nullptr,
                                     take_written};

constinit const Source kPosixTimer = {format::SampleSource::kPosixTimer,
                                      "CLOCK_THREAD_CPUTIME_ID",
                                      start_thread,
                                      stop_thread,
                                      start_other_thread,
                                      measure_timer_cost,
                                      nullptr,
                                      nullptr};

}  // namespace apmt::sampler
