#include "profiler/sampler/hardware.h"

#include <stdio.h>
#include <string.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/event_sets.h"
#include "profiler/sampler/papi_api.h"
#include "profiler/sampler/papi_set.h"
#include "profiler/sampler/sample_cost.h"
#include "profiler/sampler/source.h"

namespace apmt::sampler {
namespace {

constexpr uint64_t kUsualPeriod = 2000000;
constexpr uint64_t kTrialCycles = 200000;
constexpr uint64_t kShortestCycles = 10000;
/// Other events, such as instructions, may be this many times more frequent than cycles. Where the
/// cost of a sample sets the periods, theirs are longer by this factor, so that sampling costs no
/// more than planned.
constexpr uint64_t kMostPerCycle = 2;

/// The shortest length of a time slice (the longest is twice that): much longer than a switch to
/// another event set, shorter than most phases of programs.
constexpr double kSliceSeconds = 0.02;

EventSets g_all;
uint32_t g_first_set = 0;  // the first set that this process counts
PapiSet g_sets[kMaxSets];  // the sets of this process, in PAPI's form
uint32_t g_slices = 1;     // number of sets that this process counts in turn
const HardwareEvent* g_mine[format::kMaxEvents];
uint32_t g_slice_of[format::kMaxEvents];  // as format::Event::slice
uint32_t g_count = 0;
uint64_t g_cycles_per_second = 0;

bool time_slices_wanted() {
  const char* wanted = rt::env("APMT_ROTATE");
  return wanted != nullptr && strcmp(wanted, "time") == 0;
}

uint32_t set_of_slice(uint32_t slice) { return (g_first_set + slice) % g_all.sets; }

/// Adds the set of this slice; false if the recording has no room for its events.
bool add_slice(uint32_t slice) {
  uint32_t members = 0;
  for (uint32_t i = 1; i < g_all.count; ++i) members += g_all.events[i].set == set_of_slice(slice);
  if (g_count + members > format::kMaxEvents) return false;
  PapiSet& set = g_sets[slice];
  set.events[0] = {g_all.events[0].code, 0, kLongestPapiPeriod};
  set.count = 1;
  for (uint32_t i = 1; i < g_all.count; ++i) {
    if (g_all.events[i].set != set_of_slice(slice)) continue;
    set.events[set.count++] = {g_all.events[i].code, g_count, kLongestPapiPeriod};
    g_slice_of[g_count] = slice + 1;
    g_mine[g_count++] = &g_all.events[i];
  }
  return true;
}

/// Chooses the sets of this process. Neighbouring ranks count different sets, and a rank counts
/// another set in the next repetition. With time slices, each rank counts several sets in turn.
void choose_sets() {
  const int rank = rt::launcher_rank();
  const int64_t shift = rt::env_number("APMT_SET", 0);
  g_first_set = static_cast<uint32_t>(
      (static_cast<uint64_t>(rank > 0 ? rank : 0) + static_cast<uint64_t>(shift > 0 ? shift : 0)) %
      g_all.sets);
  g_mine[0] = &g_all.events[0];
  g_count = 1;
  const uint32_t most = !time_slices_wanted() ? 1 : g_all.sets < kMaxSets ? g_all.sets : kMaxSets;
  for (g_slices = 0; g_slices < most && add_slice(g_slices);) ++g_slices;
  if (g_slices > 1) return;
  for (uint32_t& slice : g_slice_of) slice = 0;
}

bool is_counted_here(const HardwareEvent& event) {
  for (uint32_t i = 0; i < g_count; ++i)
    if (g_mine[i] == &event) return true;
  return false;
}

/// Reads cycles and this thread's CPU time, as nearly as possible at the same moment. Keeps the
/// quickest of several attempts, because a busy kernel may delay one of the two readings.
bool read_cycles(uint64_t* cycles, int64_t* at_ns) {
  int64_t least_ns = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    uint64_t values[kMaxSetEvents] = {};
    const int64_t begin_ns = rt::thread_cpu_ns();
    if (!read_papi_set(values)) return false;
    const int64_t took_ns = rt::thread_cpu_ns() - begin_ns;
    if (took_ns >= least_ns) continue;
    least_ns = took_ns;
    *cycles = values[0];
    *at_ns = begin_ns + took_ns / 2;
  }
  return true;
}

/// Measures the number of cycles per second in user mode. Returns nullptr on success, otherwise the
/// reason for the failure.
const char* measure_rate() {
  uint64_t first = 0, last = 0;
  int64_t begin_ns = 0, end_ns = 0;
  if (const char* why = start_papi_sets(g_sets, 1, 0)) return why;
  bool read = read_cycles(&first, &begin_ns);
  for (int i = 0; i < 50; ++i) spin_a_while();
  read = read_cycles(&last, &end_ns) && read;
  stop_papi_sets();
  if (!read || end_ns <= begin_ns || last <= first) return "it starts but counts nothing";
  g_cycles_per_second = static_cast<uint64_t>(static_cast<double>(last - first) * 1e9 /
                                              static_cast<double>(end_ns - begin_ns));
  return nullptr;
}

/// Rounds up to 1, 2, 3 or 5 times a power of ten, so that ranks with slightly different
/// measurements choose the same value.
uint64_t round_up(uint64_t value) {
  constexpr uint64_t kDigits[] = {1, 2, 3, 5};
  for (uint64_t power = 1;; power *= 10)
    for (const uint64_t digit : kDigits)
      if (digit * power >= value) return digit * power;
}

uint64_t events_in(uint64_t ns) {
  return static_cast<uint64_t>(static_cast<double>(ns) * 1e-9 *
                               static_cast<double>(g_cycles_per_second));
}

uint32_t most_at_once() {
  uint32_t most = 1;
  for (uint32_t slice = 0; slice < g_slices; ++slice)
    if (g_sets[slice].count > most) most = g_sets[slice].count;
  return most;
}

/// Chooses the periods that the user did not give. Events that are counted together share the
/// permitted cost.
void choose_periods(uint64_t cost_ns) {
  const int64_t wanted_ns = rt::env_number("APMT_INTERVAL_NS", 0);
  uint64_t cycles = 0;
  if (wanted_ns > 0) {
    cycles = events_in(static_cast<uint64_t>(wanted_ns));
  } else {
    uint64_t ns = cost_ns * kCostShareInverse;
    if (ns < kShortestPeriodNs) ns = kShortestPeriodNs;
    cycles = events_in(ns * most_at_once());
    if (cycles < kUsualPeriod) cycles = kUsualPeriod;
    cycles = round_up(cycles);
  }
  for (uint32_t slice = 0; slice < g_slices; ++slice)
    for (uint32_t i = 0; i < g_sets[slice].count; ++i) {
      PapiEvent& event = g_sets[slice].events[i];
      uint64_t period = g_mine[event.number]->period;
      if (period == 0) period = i == 0 || wanted_ns > 0 ? cycles : cycles * kMostPerCycle;
      if (i == 0 && period < kShortestCycles) period = kShortestCycles;
      event.period = period < kLongestPapiPeriod ? period : kLongestPapiPeriod;
    }
}

const char* start_thread(uint64_t) {
  const double samples_per_second =
      static_cast<double>(g_cycles_per_second) / static_cast<double>(g_sets[0].events[0].period);
  return start_papi_sets(g_sets, g_slices,
                         static_cast<uint32_t>(samples_per_second * kSliceSeconds));
}

uint64_t samples_of_thread() {
  return __atomic_load_n(&rt::state().recording.threads[rt::self().slot].samples, __ATOMIC_RELAXED);
}

/// Finds events that work, chooses the sets of this process and their periods, and measures the
/// cost of a sample.
const char* measure_cost(SampleCost* cost) {
  if (const char* why = find_event_sets(&g_all)) return why;
  choose_sets();
  if (const char* why = measure_rate()) return why;
  PapiSet trial = g_sets[0];
  trial.events[0].period = kTrialCycles;
  if (const char* why = start_papi_sets(&trial, 1, 0)) return why;
  const char* why = time_samples(samples_of_thread, cost);
  stop_papi_sets();
  if (why == nullptr) choose_periods(cost->whole_ns);
  return why;
}

/// The processor's own name of a PAPI preset.
const char* native_name(const HardwareEvent& event) {
  static PAPI_event_info_t info;  // static, because it is too large for a stack
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr || api->get_event_info(event.code, &info) != PAPI_OK || info.count < 1)
    return event.name;
  return info.name[0][0] != '\0' ? info.name[0] : event.name;
}

}  // namespace

void describe_hardware(const rt::Recording& recording) {
  format::Header& header = *recording.header;
  for (uint32_t slice = 0; slice < g_slices; ++slice)
    for (uint32_t i = 0; i < g_sets[slice].count; ++i) {
      const PapiEvent& event = g_sets[slice].events[i];
      header.events[event.number].period = event.period;
    }
  for (uint32_t i = 0; i < g_count; ++i) {
    header.events[i].name_offset = rt::append_text(recording, "event", g_mine[i]->name);
    header.events[i].slice = g_slice_of[i];
    rt::append_text(recording, "native_event", native_name(*g_mine[i]));
  }
  header.event_count = g_count;
  rt::append_number(recording, "cycles_per_second", g_cycles_per_second);
  if (g_all.sets == 1) return;
  rt::append_text(recording, "rotation", time_slices_wanted() ? "time" : "ranks");
  char text[512];
  for (uint32_t slice = 0; slice < g_slices; ++slice) {
    snprintf(text, sizeof text, "%u of %u", set_of_slice(slice), g_all.sets);
    rt::append_text(recording, "event_set", text);
  }
  for (uint32_t i = 1; i < g_all.count; ++i) {
    if (is_counted_here(g_all.events[i])) continue;
    rt::append_text(recording, "event_elsewhere", g_all.events[i].name);
    if (rt::launcher_size() > 1) continue;  // other ranks count it
    snprintf(text, sizeof text,
             "%s is not measured in this run: the events need %u sets of counters, this is set %u; "
             "APMT_SET=%u has it, APMT_ROTATE=time counts all sets in turn",
             g_all.events[i].name, g_all.sets, g_first_set, g_all.events[i].set);
    rt::note(text);
  }
}

constinit const Source kHardware = {format::SampleSource::kHardware,
                                    kCyclesEvent,
                                    start_thread,
                                    end_papi_thread,
                                    nullptr,
                                    measure_cost,
                                    nullptr,
                                    nullptr,
                                    note_papi_totals,
                                    nullptr,
                                    hold_papi_sets,
                                    release_papi_sets};

}  // namespace apmt::sampler
