// Chooses the source of samples and, from the measured cost of a sample, the sampling interval.
// Records samples.

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "profiler/runtime/callgrind_control.h"
#include "profiler/runtime/clock.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/modules.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/sampled_place.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/tables.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/hardware.h"
#include "profiler/sampler/papi_api.h"
#include "profiler/sampler/papi_set.h"
#include "profiler/sampler/source.h"
#include "profiler/sampler/task_clock.h"

namespace apmt::sampler {
namespace {

using format::SampleSource;

const Source* g_source = nullptr;
uint64_t g_period_ns = 0;

/// Whether RLIMIT_SIGPENDING lets enough signals be queued. At the limit, the kernel sends SIGIO
/// instead of an overflow's real-time signal, and SIGIO ends the process.
bool signals_can_queue() {
  struct rlimit limit;
  return getrlimit(RLIMIT_SIGPENDING, &limit) == 0 &&
         (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= 64);
}

/// Removes samples that were taken during calibration, because they do not belong to the program.
void discard_trial_samples() {
  const rt::Recording& r = rt::state().recording;
  r.header->handler_calls = r.header->handler_ns = r.header->samples_foreign = 0;
  format::Section& section = r.section(format::SectionKind::kSamples);
  rt::state().used_samples.for_each(section.capacity, [&](uint64_t begin, uint64_t end) {
    memset(&r.samples[begin], 0, (end - begin) * sizeof *r.samples);
  });
  rt::state().used_samples = {};
  section.used = section.dropped = 0;
  r.threads[rt::self().slot].samples = 0;
  memset(&r.totals[rt::self().slot], 0, sizeof *r.totals);
}

void note_failure(const Source& source, const char* why) {
  rt::append_text(rt::state().recording, source.event_name, why, 200);
}

void note_choice(const Source& source, uint64_t period_ns, const SampleCost& cost) {
  const rt::Recording& r = rt::state().recording;
  format::Header& header = *r.header;
  header.sample_source = source.kind;
  header.sample_cost_ns = cost.whole_ns;
  header.handler_cost_ns = cost.handler_ns < cost.whole_ns ? cost.handler_ns : cost.whole_ns;
  if (const char* version = papi_version()) rt::append_text(r, "papi", version);
  if (source.kind == SampleSource::kHardware) return describe_hardware(r);
  char name[64];
  const bool only_user = source.kind == SampleSource::kTaskClock && task_clock_omits_kernel();
  snprintf(name, sizeof name, "%s%s", source.event_name, only_user ? ":u" : "");
  header.events[0].name_offset = rt::append_text(r, "event", name);
  header.events[0].period = period_ns;
  header.event_count = 1;
  header.squares_column = format::kSquaresColumn;
}

/// Real time, even in a simulation, where rt::now_ns() is simulated time.
int64_t real_ns() { return rt::clock_ns(CLOCK_MONOTONIC); }

constexpr const char* kSourceNames[] = {"hardware", "task-clock", "posix-timer"};

/// The source that APMT_SOURCE requests, or "none"; nullptr: any.
const char* wanted_source() {
  const char* const wanted = rt::env("APMT_SOURCE");
  if (wanted == nullptr || strcmp(wanted, "auto") == 0) return nullptr;
  if (strcmp(wanted, "none") == 0) return wanted;
  for (const char* name : kSourceNames)
    if (strcmp(wanted, name) == 0) return wanted;
  char text[256];
  snprintf(text, sizeof text,
           "APMT_SOURCE=%.60s is ignored: it is none of auto, hardware, task-clock, "
           "posix-timer and none",
           wanted);
  rt::note(text);
  return nullptr;
}

/// Chooses hardware counters if they work, otherwise the task clock or the timer; if `wanted` is
/// not nullptr, only the source with this name. Returns the cost of a sample.
SampleCost choose_source(const char* wanted) {
  const Source* const candidates[] = {&kHardware, &kTaskClock, &kPosixTimer};
  SampleCost cost = {0, 0};
  for (int i = 0; i < 3 && g_source == nullptr; ++i) {
    if (wanted != nullptr && strcmp(wanted, kSourceNames[i]) != 0) continue;
    if (const char* why = candidates[i]->measure_cost(&cost))
      note_failure(*candidates[i], why);
    else
      g_source = candidates[i];
  }
  return cost;
}

bool start_process() {
  if (!signals_can_queue()) {
    rt::note("sampling is off: the limit of pending signals (ulimit -i) is too small to be safe");
    return false;
  }
  // For a signal's frame, valgrind may fail to extend the program's stack; it then ends the
  // program.
  if (rt::in_valgrind()) {
    rt::note("sampling is off: valgrind does not always survive signals, and slows the program");
    return false;
  }
  const LowDescriptorsTaken taken;
  const char* const wanted = wanted_source();
  const SampleCost cost = choose_source(wanted);
  discard_trial_samples();
  if (g_source == nullptr) {
    rt::note(wanted != nullptr
                 ? "sampling is off: the source of samples that was asked for does not work here"
                 : "sampling is off: no source of samples works here");
    return false;
  }
  const int64_t wanted_ns = rt::env_number("APMT_INTERVAL_NS", 0);
  g_period_ns = wanted_ns > 0 ? static_cast<uint64_t>(wanted_ns) : affordable_period_ns(cost);
  note_choice(*g_source, g_period_ns, cost);
  if (const char* why = g_source->start_thread(g_period_ns)) {
    note_failure(*g_source, why);
    return false;
  }
  return true;
}

bool start_thread() {
  const char* const why = g_source->start_thread(g_period_ns);
  if (why != nullptr) note_failure(*g_source, why);
  return why == nullptr;
}

const char* start_other_thread(pid_t tid) {
  if (g_source->start_other_thread == nullptr) return "only a thread itself can open its counters";
  return g_source->start_other_thread(tid, g_period_ns);
}

void stop_thread() { g_source->stop_thread(); }

void begin_main() {
  if (g_source->begin_main != nullptr) g_source->begin_main();
}

void end_main() {
  if (g_source->end_main != nullptr) g_source->end_main();
}

void note_totals() {
  if (g_source->note_totals != nullptr) g_source->note_totals();
}

void take_written() {
  if (g_source->take_written != nullptr) g_source->take_written();
}

__attribute__((constructor(101))) void register_sampler() {
  rt::state().sampler = {start_process, start_thread, start_other_thread, stop_thread,
                         begin_main,    end_main,     note_totals,        take_written};
}

}  // namespace

void take_sample(uint64_t pc, uint32_t event, uint64_t weight) {
  rt::ThreadState& t = rt::self();
  if (!rt::recording()) return;
  if (t.slot < 0) rt::find_entry();
  if (t.slot < 0) return;
  const rt::Recording& r = rt::state().recording;
  const uint64_t key = rt::key_of_sample(t, pc);
  if (rt::add_sample(r.samples, r.section(format::SectionKind::kSamples), rt::state().used_samples,
                     key, event, weight, r.header->squares_column))
    rt::follow_code(r, format::sample_pc(key));
  format::Thread& thread = r.threads[t.slot];
  rt::add(thread.samples, weight);
  // The end of a thread that existed before the recording is not seen, so its time is read here.
  if (thread.was_there != 0) thread.cpu_ns = rt::thread_cpu_ns();
  if (event == 0 && r.header->sample_source == SampleSource::kHardware)
    rt::add(thread.cycles, weight * r.header->events[0].period);
}

void note_total(uint32_t event, const format::CounterTotal& total) {
  const int32_t slot = rt::self().slot;
  if (slot < 0) return;
  const rt::Recording& r = rt::state().recording;
  r.totals[slot].events[event] = total;
  rt::raise_to(r.section(format::SectionKind::kTotals).used, static_cast<uint64_t>(slot) + 1);
}

void hold_samples() {
  if (g_source != nullptr && g_source->hold != nullptr) g_source->hold();
}

void release_samples(uint64_t pc) {
  if (g_source != nullptr && g_source->release != nullptr) g_source->release(pc);
}

int64_t handler_begins() { return real_ns(); }

void handler_ends(int64_t begin_ns, uint64_t deliveries) {
  if (!rt::recording()) return;
  format::Header& header = *rt::state().recording.header;
  const int64_t now_ns = real_ns();
  rt::add(header.handler_ns, static_cast<uint64_t>(now_ns - begin_ns));
  rt::add(header.handler_calls, deliveries);
  __atomic_store_n(&header.last_sample_ns, rt::kRanksShareAProcess ? rt::now_ns() : now_ns,
                   __ATOMIC_RELAXED);
}

bool is_computing() {
  return rt::self().op == 0 && rt::recording() && rt::stage() == format::Stage::kMain;
}

}  // namespace apmt::sampler
