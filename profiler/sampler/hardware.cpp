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
/// Instructions and what comes with them may be this much more frequent than cycles; their period
/// is longer by as much, so that a dense loop does not cost more than planned.
constexpr uint64_t kMostPerCycle = 2;

EventSets g_all;
uint32_t g_set = 0;  // the one that this process counts
const HardwareEvent* g_mine[format::kMaxEvents];
PapiEvent g_papi_events[format::kMaxEvents];
uint32_t g_count = 0;
uint64_t g_cycles_per_second = 0;

/// Neighbouring ranks count different sets, and so does one rank in the next repetition.
void choose_set() {
  const int rank = rt::launcher_rank();
  const int64_t shift = rt::env_number("APMT_SET", 0);
  g_set = static_cast<uint32_t>(
      (static_cast<uint64_t>(rank > 0 ? rank : 0) + static_cast<uint64_t>(shift > 0 ? shift : 0)) %
      g_all.sets);
  g_count = 0;
  for (uint32_t i = 0; i < g_all.count; ++i)
    if (i == 0 || g_all.events[i].set == g_set) {
      g_papi_events[g_count] = {g_all.events[i].code, kLongestPapiPeriod};
      g_mine[g_count++] = &g_all.events[i];
    }
}

/// Cycles of user mode in a second of it. nullptr on success.
const char* measure_rate() {
  long long before[format::kMaxEvents] = {};
  long long after[format::kMaxEvents] = {};
  if (const char* why = start_papi_set(g_papi_events, g_count)) return why;
  bool read = read_papi_set(before);
  const int64_t begin_ns = rt::thread_cpu_ns();
  for (int i = 0; i < 50; ++i) spin_a_while();
  const int64_t took_ns = rt::thread_cpu_ns() - begin_ns;
  read = read_papi_set(after) && read;
  stop_papi_set();
  const long long cycles = after[0] - before[0];
  if (!read || took_ns <= 0 || cycles <= 0) return "it starts but counts nothing";
  g_cycles_per_second =
      static_cast<uint64_t>(static_cast<double>(cycles) * 1e9 / static_cast<double>(took_ns));
  return nullptr;
}

/// 1, 2, 3 or 5 times a power of ten, not below `value`: ranks whose measurements differ a little
/// agree.
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

/// Periods that were not given. The events share what sampling may cost.
void choose_periods(uint64_t cost_ns) {
  const int64_t wanted_ns = rt::env_number("APMT_INTERVAL_NS", 0);
  uint64_t cycles = 0;
  if (wanted_ns > 0) {
    cycles = events_in(static_cast<uint64_t>(wanted_ns));
  } else {
    uint64_t ns = cost_ns * kCostShareInverse;
    if (ns < kShortestPeriodNs) ns = kShortestPeriodNs;
    cycles = events_in(ns * g_count);
    if (cycles < kUsualPeriod) cycles = kUsualPeriod;
    cycles = round_up(cycles);
  }
  for (uint32_t i = 0; i < g_count; ++i) {
    uint64_t period = g_mine[i]->period;
    if (period == 0) period = i == 0 || wanted_ns > 0 ? cycles : cycles * kMostPerCycle;
    if (i == 0 && period < kShortestCycles) period = kShortestCycles;
    g_papi_events[i].period = period < kLongestPapiPeriod ? period : kLongestPapiPeriod;
  }
}

const char* start_thread(uint64_t) { return start_papi_set(g_papi_events, g_count); }

/// Tries the events, chooses this process's set and its periods, and measures what a sample of it
/// costs.
const char* measure_cost_ns(uint64_t* cost_ns) {
  if (const char* why = find_event_sets(&g_all)) return why;
  choose_set();
  if (const char* why = measure_rate()) return why;
  g_papi_events[0].period = kTrialCycles;
  if (const char* why = start_thread(0)) return why;
  const char* why = time_samples(cost_ns);
  stop_papi_set();
  if (why == nullptr) choose_periods(*cost_ns);
  return why;
}

/// The processor's own name of a preset, as PAPI knows it.
const char* native_name(const HardwareEvent& event) {
  static PAPI_event_info_t info;  // too large for a stack
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr || api->get_event_info(event.code, &info) != PAPI_OK || info.count < 1)
    return event.name;
  return info.name[0][0] != '\0' ? info.name[0] : event.name;
}

}  // namespace

void describe_hardware(const rt::Recording& recording) {
  format::Header& header = *recording.header;
  for (uint32_t i = 0; i < g_count; ++i) {
    header.events[i].name_offset = rt::append_text(recording, "event", g_mine[i]->name);
    header.events[i].period = g_papi_events[i].period;
    rt::append_text(recording, "native_event", native_name(*g_mine[i]));
  }
  header.event_count = g_count;
  char text[512];
  snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(g_cycles_per_second));
  rt::append_text(recording, "cycles_per_second", text);
  if (g_all.sets == 1) return;
  snprintf(text, sizeof text, "%u of %u", g_set, g_all.sets);
  rt::append_text(recording, "event_set", text);
  for (uint32_t i = 1; i < g_all.count; ++i) {
    if (g_all.events[i].set == g_set) continue;
    rt::append_text(recording, "event_elsewhere", g_all.events[i].name);
    if (rt::launcher_size() > 1) continue;  // other ranks count it
    snprintf(text, sizeof text,
             "%s is not measured in this run: the events need %u sets of counters, this is set %u; "
             "APMT_SET=%u has it",
             g_all.events[i].name, g_all.sets, g_set, g_all.events[i].set);
    rt::note(text);
  }
}

constinit const Source kHardware = {format::SampleSource::kHardware, kCyclesEvent, start_thread,
                                    end_papi_thread, measure_cost_ns};

}  // namespace apmt::sampler
