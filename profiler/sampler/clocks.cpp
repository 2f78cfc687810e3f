// Samples CPU time with two clocks. The first is a POSIX timer on each thread's CPU clock, which
// expires at the kernel's ticks. On a shared core, a thread may use a tenth of a second of CPU time
// before a tick interrupts it, and the place where the tick finds it does not show where it spent
// that time. So most threads that share their core or sleep use the second clock, the kernel's task
// clock, if it is permitted (weigh_how_it_ran() decides). Their timer then only accounts for time
// that the task clock misses. The CPU clocks of threads on shared cores are also read at the entry
// and exit of MPI, unless this costs too much, to separate MPI from computation.

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/sampled_place.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/tables.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/cpu_timer.h"
#include "profiler/sampler/how_it_runs.h"
#include "profiler/sampler/perf_setting.h"
#include "profiler/sampler/sample_cost.h"
#include "profiler/sampler/signal.h"
#include "profiler/sampler/source.h"
#include "profiler/sampler/split_clock.h"
#include "profiler/sampler/task_clock.h"

namespace apmt::sampler {
namespace {

constexpr const char* kAtTicks =
    "samples are taken at the kernel's ticks, which may be wrong where cores are shared: the task "
    "clock is not available";

uint64_t g_period_ns = 0;
bool g_is_period_given = false;  // the user has set the period; it is used whatever it costs
bool g_wants_task_clock = false;

/// What is known of task clocks. kSoon: the first thread that needs one is measuring its cost.
enum class Known : uint32_t { kNothing, kSoon, kCost, kDoesNotWork };
Known g_task_clock = Known::kNothing;  // atomic
uint64_t g_task_clock_cost_ns = 0;
uint64_t g_periods_per_sample = 1;  // of a task clock, whose samples may cost more than signals

struct ThreadClock {
  TaskClock task_clock;
  SplitClock split;
  bool split_is_too_dear;
  uint32_t looks;           // readings of the CPU clock since weigh_split() last ran
  uint32_t pauses;          // number of pauses at the last call to was_paused()
  uint64_t interrupted_pc;  // address that on_timer() interrupted; 0: samples keep their own
  uint64_t computing_pc;    // where a tick last found the thread outside MPI
  bool busy;                // the thread's samples are being taken: a handler must not take them
  uint64_t passed;          // periods of CPU time, as the timer counts them
  uint64_t given;           // number of these periods that have become samples
  uint64_t signals;         // signals of the timer between MPI_Init and MPI_Finalize
  HowItRuns before;         // the totals when weigh_how_it_ran() last read them
  uint64_t task_clock_ns;   // cost of the task clock that is not recorded yet
  bool is_held;             // the thread blocks the sampling signal, and its timer is off
  int64_t held_cpu_ns;      // while held: CPU time up to which periods are counted in `passed`
  int64_t held_left_ns;     // while held: what was left of the period at held_cpu_ns
  uint32_t looks_while_held;
};
/// Zero-initialised, because start_thread() is not called for threads that existed before the
/// recording.
thread_local ThreadClock t_clock = {};

/// Replaces the kernel's write position. There always seem to be new samples, so wrappers call
/// take_written(): to read the CPU clock, or to see whether the sampling signal is still blocked.
constexpr unsigned long long kAlwaysNew = 1;
int64_t g_look_cost_ns = 0;       // cost of one reading of a CPU clock
bool g_cores_are_shared = false;  // the launcher put more ranks on this node than it has CPUs

void follow_clocks() {
  rt::ThreadState& self = rt::self();
  if (t_clock.split.is_on() || t_clock.is_held) {
    self.written = &kAlwaysNew;
    self.taken = 0;
    return;
  }
  const unsigned long long* const written = t_clock.task_clock.written();
  self.written = written != nullptr ? written : &rt::kNothingWritten;
  self.taken = t_clock.task_clock.taken();
}

void start_task_clock() {
  if (t_clock.task_clock.start(g_period_ns * g_periods_per_sample) == nullptr) follow_clocks();
}

void note_task_clock_cost() {
  rt::add(rt::state().recording.header->task_clock_ns, t_clock.task_clock_ns);
  t_clock.task_clock_ns = 0;
}

bool is_in_mpi() { return rt::self().op != 0; }

/// True if recording is paused now, or was paused since this function last ran. Then nothing that
/// happened since it last ran counts.
bool was_paused() {
  const uint32_t pauses = __atomic_load_n(&rt::state().pauses, __ATOMIC_RELAXED);
  const bool paused = pauses != t_clock.pauses || !rt::recording();
  t_clock.pauses = pauses;
  return paused;
}

/// Takes the thread's CPU time and the kernel's samples since this function last ran. Attributes
/// them to MPI if the thread is in MPI, otherwise to the program. Samples that were taken in the
/// recorder's handler count for the code that the handler interrupted.
void take_new() {
  if (t_clock.busy) return;
  t_clock.busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const bool counts = !was_paused();
  if (t_clock.split.is_on()) {
    t_clock.split.look(rt::thread_cpu_ns(), is_in_mpi(), counts);
    ++t_clock.looks;
  }
  if (t_clock.task_clock.is_on()) {
    t_clock.task_clock.visit_new([&](uint64_t pc) {
      if (!counts) return;
      take_sample(t_clock.interrupted_pc != 0 ? t_clock.interrupted_pc : pc, 0,
                  g_periods_per_sample);
      t_clock.given += g_periods_per_sample;
      t_clock.split.give(is_in_mpi(), g_periods_per_sample);
      t_clock.task_clock_ns += g_task_clock_cost_ns;
    });
    if (!t_clock.split.is_on()) rt::self().taken = t_clock.task_clock.taken();
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_clock.busy = false;
}

void release(uint64_t pc);

/// Restarts the timer if siglongjmp or the end of a handler has unblocked the sampling signal.
void release_if_let_through() {
  constexpr uint32_t kSeldom = 64;
  if (t_clock.is_held && ++t_clock.looks_while_held % kSeldom == 0 && !signal_is_blocked())
    release(t_clock.computing_pc);
}

void take_written() {
  release_if_let_through();
  if (!t_clock.task_clock.has_new()) return take_new();
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
  follow_clocks();
}

/// Records `periods` samples at `pc`. They count as inside MPI if the thread is in MPI, otherwise
/// as outside.
void give(uint64_t pc, uint64_t periods) {
  if (periods == 0) return;
  t_clock.given += periods;
  t_clock.split.give(is_in_mpi(), periods);
  take_sample(pc, 0, periods);
}

void begin_split() {
  if (t_clock.split.is_on() || t_clock.split_is_too_dear) return;
  t_clock.busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  g_look_cost_ns = cpu_clock_cost_ns();
  t_clock.split.begin(rt::thread_cpu_ns());
  t_clock.looks = 0;
  follow_clocks();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_clock.busy = false;
}

/// If CPU time outside MPI has no samples yet, records samples for it, at the place outside MPI
/// where a tick last found the thread.
void settle_split() {
  if (!t_clock.split.is_on()) return;
  take_new();
  rt::ThreadState& self = rt::self();
  t_clock.busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const uint32_t op = self.op;
  self.op = 0;
  const uint64_t pc = t_clock.computing_pc != 0 ? t_clock.computing_pc : self.caller_pc;
  if (pc != 0) give(pc, t_clock.split.owed(false, g_period_ns));
  self.op = op;
  if (rt::stage() == format::Stage::kMain)
    rt::note_split(t_clock.split.used_ns(), t_clock.split.given());
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_clock.busy = false;
}

void end_split() {
  if (!t_clock.split.is_on()) return;
  settle_split();
  t_clock.split.end();
  t_clock.given = t_clock.passed;  // all earlier periods now have samples or were in a pause
  follow_clocks();
}

/// Records samples at `pc` for all periods that have none. With a task clock, these are the periods
/// that the task clock missed, that found no room in its buffer, or that were inside the kernel.
void take_rest(uint64_t pc) {
  if (!rt::recording()) {  // periods in a pause get no samples
    t_clock.given = t_clock.passed;
    return;
  }
  if (!is_in_mpi()) t_clock.computing_pc = pc;
  if (t_clock.split.is_on()) {
    const uint64_t owed = t_clock.split.owed(is_in_mpi(), g_period_ns);
    return give(pc, t_clock.task_clock.is_on() && owed <= g_periods_per_sample ? 0 : owed);
  }
  // Timer and task clock are out of phase, so they may differ by `slack`. While another virtual
  // machine has the processor, only the task clock runs on. The resulting surplus of samples is
  // removed from `given`, so that later periods still get all their samples.
  const uint64_t slack = t_clock.task_clock.is_on() ? g_periods_per_sample : 0;
  if (t_clock.given > t_clock.passed + slack) t_clock.given = t_clock.passed + slack;
  if (t_clock.passed <= t_clock.given + slack) return;
  give(pc, t_clock.passed - t_clock.given - slack);
}

/// The number of samples in the trial of the task clock so far.
uint64_t visit_trial_samples() {
  static thread_local uint64_t samples;
  t_clock.task_clock.visit_new([](uint64_t) { ++samples; });
  return samples;
}

/// Measures the cost of a task clock. Runs in a handler and takes half a millisecond.
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
  rt::append_number(rt::state().recording, "task_clock_cost_ns", cost.whole_ns);
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

/// Decides whether the thread reads its CPU clock at the entry and exit of MPI. It begins if it has
/// a core for less than 9/10 of the time. It stops if the readings cost more than 1/50 of its CPU
/// time, or if it has a core to itself and was watched for more than a few ticks (not `is_short`).
/// With more ranks than cores it never stops, because it will soon share its core again.
void weigh_split(int64_t wall_ns, int64_t cpu_ns, bool is_short) {
  const int64_t cost_ns = g_look_cost_ns * t_clock.looks;
  t_clock.looks = 0;
  if (!t_clock.split.is_on()) {
    if (cpu_ns < wall_ns / 10 * 9) begin_split();
    return;
  }
  t_clock.task_clock_ns += static_cast<uint64_t>(cost_ns);
  note_task_clock_cost();
  if (g_cores_are_shared) return;
  t_clock.split_is_too_dear = cost_ns > cpu_ns / 50;
  if (t_clock.split_is_too_dear || (!is_short && cpu_ns > wall_ns / 20 * 19)) end_split();
}

/// Decides whether the thread uses a task clock in addition to the timer. For a thread that has its
/// core to itself, the timer is accurate and costs next to nothing. A thread that shares its core
/// or sleeps needs a task clock, unless many ticks interrupt it between two context switches. A
/// thread with very frequent context switches gets no task clock, because the kernel stops and
/// starts a task clock at every switch. Ranks that wait for each other on too few cores are such
/// threads.
void weigh_how_it_ran(bool is_short) {
  // A context switch stops and starts a task clock; three switches cost about as much as a sample.
  constexpr uint64_t kSwitchesPerSample = 3;
  constexpr int64_t kShortestStretchNs = 50000;
  constexpr int64_t kLongestStretchNs = 40000000;
  const HowItRuns before = t_clock.before;
  const HowItRuns now = t_clock.before = look_how_it_runs();
  const uint64_t switches = now.switches - before.switches;
  const int64_t wall_ns = now.wall_ns - before.wall_ns;
  const int64_t cpu_ns = now.cpu_ns - before.cpu_ns;
  const int64_t stretch_ns = cpu_ns / static_cast<int64_t>(switches > 0 ? switches : 1);
  weigh_split(wall_ns, cpu_ns, is_short);
  if (t_clock.task_clock.is_on()) {
    t_clock.task_clock_ns += switches * g_task_clock_cost_ns / kSwitchesPerSample;
    note_task_clock_cost();
    const bool has_core = cpu_ns > wall_ns / 20 * 19;
    if (has_core || stretch_ns < kShortestStretchNs || stretch_ns > kLongestStretchNs)
      stop_task_clock();
  } else if (cpu_ns < wall_ns / 10 * 9 && stretch_ns > 2 * kShortestStretchNs &&
             stretch_ns < kLongestStretchNs / 2 && g_wants_task_clock) {
    want_task_clock();
  }
}

/// Runs at each signal of the timer, beginning with the first one between MPI_Init and
/// MPI_Finalize: how the thread ran before MPI_Init says nothing about the program.
void watch_how_it_runs() {
  constexpr uint64_t kSoon = 4;  // a thread with a short life is not worth a task clock
  constexpr uint64_t kSeldom = 16;
  if (rt::stage() != format::Stage::kMain) return;
  const uint64_t earlier = t_clock.signals++;
  if (earlier % kSeldom == 0) {
    rt::look_at_own_main_time();
    rt::note_split(t_clock.split.used_ns(), t_clock.split.given());
  }
  if (earlier == 0)
    t_clock.before = look_how_it_runs();
  else if (earlier == kSoon || earlier % kSeldom == 0)
    weigh_how_it_ran(earlier == kSoon);
}

void on_timer(const siginfo_t& info, void* context) {
  const int64_t begin_ns = handler_begins();
  t_clock.passed += 1 + static_cast<uint64_t>(info.si_overrun);
  if (!t_clock.busy) {
    const uint64_t pc = rt::program_counter(context);
    take_new();
    take_rest(pc);
    t_clock.interrupted_pc = pc;  // samples in the following functions count for this place
    watch_how_it_runs();
    if (t_clock.task_clock.is_on()) take_new();
    t_clock.interrupted_pc = 0;
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

void take_held_signal(const siginfo_t& info) {
  t_clock.passed += 1 + static_cast<uint64_t>(info.si_overrun);
}

/// Stops the timer and removes its pending signals, which the program's sigwait() might receive.
void hold() {
  if (t_clock.is_held || !hold_cpu_timer(&t_clock.held_left_ns)) return;
  t_clock.held_cpu_ns = rt::thread_cpu_ns();
  take_pending(take_held_signal);
  t_clock.is_held = true;
  t_clock.looks_while_held = 0;
  follow_clocks();
}

void note_long_hold() {
  static uint32_t noted = 0;
  if (rt::recording() && __atomic_exchange_n(&noted, 1u, __ATOMIC_RELAXED) == 0)
    rt::note(
        "a thread blocked the sampling signal: the CPU time that it used meanwhile is attributed "
        "to the place where it unblocked the signal, or where it was last sampled");
}

/// Counts the periods that the timer missed while it was off, and records samples for them at `pc`.
void take_held(uint64_t pc) {
  constexpr uint64_t kMany = 10;  // fewer periods do not change a profile
  if (!t_clock.is_held || t_clock.busy) return;
  const int64_t cpu_ns = rt::thread_cpu_ns();
  const int64_t over_ns = cpu_ns - t_clock.held_cpu_ns - t_clock.held_left_ns;
  const int64_t period_ns = static_cast<int64_t>(g_period_ns);
  const int64_t periods = over_ns < 0 ? 0 : 1 + over_ns / period_ns;
  t_clock.held_cpu_ns = cpu_ns;
  t_clock.held_left_ns = periods * period_ns - over_ns;
  t_clock.passed += static_cast<uint64_t>(periods);
  if (periods == 0) return;
  const int64_t begin_ns = handler_begins();
  take_new();
  if (pc != 0) take_rest(pc);
  if (static_cast<uint64_t>(periods) >= kMany) note_long_hold();
  handler_ends(begin_ns, 0);
}

void release(uint64_t pc) {
  if (!t_clock.is_held) return;
  take_held(pc);
  t_clock.is_held = false;
  follow_clocks();
  release_cpu_timer(t_clock.held_left_ns, g_period_ns);
}

/// Like take_held(), at the place where the thread was last found computing.
void settle_held() {
  take_held(t_clock.computing_pc != 0 ? t_clock.computing_pc : rt::self().caller_pc);
}

void begin_main() {
  t_clock.held_cpu_ns = rt::thread_cpu_ns();  // the period that has begun is not part of main
  t_clock.held_left_ns = static_cast<int64_t>(g_period_ns);
  if (!t_clock.is_held) restart_cpu_timer(g_period_ns);
  g_cores_are_shared = rt::cores_are_shared();
  begin_split();  // weigh_split() ends it if the thread has its core to itself
}

void end_main() {
  settle_held();
  settle_split();
}

void stop_thread() {
  settle_held();
  end_split();
  const rt::OwnWork own_work;
  stop_cpu_timer();  // first: its handler could start a task clock again
  stop_task_clock();
  t_clock.task_clock.end();
}

const char* measure_timer_cost(SampleCost* cost) {
  // Tests whether the kernel permits such a timer at all.
  if (const char* why = start_timer(1000000000)) return why;
  stop_cpu_timer();
  return time_timer_signals(cost);
}

const char* measure_task_clock_cost(SampleCost* cost) {
  if (const char* why = task_clock_is_refused()) {
    static char text[256];
    snprintf(text, sizeof text, "%s: %s%s", kAtTicks, why, perf_setting_forbids());
    rt::note(text);
    return why;
  }
  g_is_period_given = rt::env_number("APMT_INTERVAL_NS", 0) > 0;  // handlers must not call getenv
  return measure_timer_cost(cost);
}

}  // namespace

constinit const Source kTaskClock = {format::SampleSource::kTaskClock,
                                     "PERF_COUNT_SW_TASK_CLOCK",
                                     start_thread_with_task_clock,
                                     stop_thread,
                                     start_other_thread,
                                     measure_task_clock_cost,
                                     begin_main,
                                     end_main,
                                     nullptr,
                                     take_written,
                                     hold,
                                     release};

constinit const Source kPosixTimer = {format::SampleSource::kPosixTimer,
                                      "CLOCK_THREAD_CPUTIME_ID",
                                      start_thread,
                                      stop_thread,
                                      start_other_thread,
                                      measure_timer_cost,
                                      begin_main,
                                      end_main,
                                      nullptr,
                                      take_written,
                                      hold,
                                      release};

}  // namespace apmt::sampler
