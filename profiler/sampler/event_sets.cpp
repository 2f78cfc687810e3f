#include "profiler/sampler/event_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/memory_map.h"
#include "profiler/runtime/small_file.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/papi_set.h"
#include "profiler/sampler/perf_setting.h"
#include "profiler/sampler/sample_cost.h"

namespace apmt::sampler {

namespace {

constexpr const char* kInstructionsEvent = "PAPI_TOT_INS";

/// Does work that every kind of counter counts: arithmetic, branches that cannot be predicted, and
/// accesses to more memory than the first caches hold.
void exercise_processor() {
  constexpr size_t kBytes = size_t{4} << 20;
  spin_a_while();
  void* memory =
      rt::map_memory(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (memory == MAP_FAILED) return;
  volatile double* numbers = static_cast<volatile double*>(memory);
  constexpr size_t kCount = kBytes / sizeof(double);
  uint64_t x = 1;
  for (int i = 0; i < 50000; ++i) {
    x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    const size_t at = static_cast<size_t>(x >> 33) % kCount;
    if ((x >> 40 & 1) != 0)
      numbers[at] = numbers[at] * 1.5 + 1.0;
    else
      numbers[kCount - 1 - at] = numbers[at] + 2.0;
  }
  rt::unmap_memory(memory, kBytes);
}

/// Starts the events together and reads their counts. Returns nullptr if each counted something,
/// otherwise the reason for the failure.
const char* try_events(const HardwareEvent* const* events, uint32_t count) {
  PapiSet set = {};
  uint64_t values[kMaxSetEvents] = {};
  set.count = count;
  for (uint32_t i = 0; i < count; ++i) set.events[i] = {events[i]->code, i, kLongestPapiPeriod};
  if (const char* why = start_papi_sets(&set, 1, 0)) return why;
  exercise_processor();
  const bool read = read_papi_set(values);
  stop_papi_sets();
  if (!read) return "it starts but cannot be read";
  for (uint32_t i = 0; i < count; ++i)
    if (values[i] == 0) return "it starts but counts nothing";
  return nullptr;
}

/// The Linux kernel's own names for the two most important events, for processors for which this
/// version of PAPI has no presets.
const char* kernel_name_of(const char* preset) {
  if (strcmp(preset, kCyclesEvent) == 0) return "perf::PERF_COUNT_HW_CPU_CYCLES";
  if (strcmp(preset, kInstructionsEvent) == 0) return "perf::PERF_COUNT_HW_INSTRUCTIONS";
  return nullptr;
}

const char* find_and_try_as_named(HardwareEvent* event) {
  if (const char* why = find_papi_event(event->name, &event->code)) return why;
  return try_events(&event, 1);
}

const char* find_and_try(HardwareEvent* event) {
  const char* const why = find_and_try_as_named(event);
  const char* const other = why == nullptr ? nullptr : kernel_name_of(event->name);
  if (other == nullptr) return why;
  HardwareEvent renamed = *event;
  snprintf(renamed.name, sizeof renamed.name, "%s", other);
  if (find_and_try_as_named(&renamed) != nullptr) return why;
  *event = renamed;
  return nullptr;
}

void note_not_measured(const HardwareEvent& event, const char* why, const char* more = "") {
  char text[512];
  snprintf(text, sizeof text, "%s is not measured: %s%s", event.name, why, more);
  rt::note(text);
}

/// Whether `candidate` can be counted together with cycles and the events that are in the set
/// already.
bool fits(const EventSets& all, uint32_t set, const HardwareEvent& candidate) {
  const HardwareEvent* members[kMaxSetEvents] = {&all.events[0]};
  uint32_t count = 1;
  for (uint32_t i = 1; i < all.count; ++i)
    if (all.events[i].set == set) members[count++] = &all.events[i];
  if (count == kMaxSetEvents) return false;
  members[count++] = &candidate;
  return try_events(members, count) == nullptr;
}

/// Puts each event into the first set in which it can be counted together with the others.
void split(EventSets* all, bool one_set_only) {
  const uint32_t wanted = all->count;
  all->count = 1;
  all->sets = 1;
  for (uint32_t i = 1; i < wanted; ++i) {
    HardwareEvent event = all->events[i];
    while (event.set < all->sets && !fits(*all, event.set, event)) ++event.set;
    if (event.set == all->sets && one_set_only) {
      note_not_measured(event, "there is no counter left beside cycles");
    } else if (event.set == all->sets && !fits(*all, event.set, event)) {
      note_not_measured(event, "it cannot be counted beside cycles");
    } else {
      if (event.set == all->sets) ++all->sets;
      all->events[all->count++] = event;
    }
  }
}

void add(EventSets* all, const char* name, size_t length, uint64_t period) {
  HardwareEvent& event = all->events[all->count++];
  memset(&event, 0, sizeof event);
  memcpy(event.name, name, length);
  event.period = period;
}

/// Makes cycles the first event. If they are missing, adds them, in a full list in place of the
/// last event. Time is computed from cycles, so they belong to every set.
void put_cycles_first(EventSets* all) {
  HardwareEvent cycles = {};
  memcpy(cycles.name, kCyclesEvent, strlen(kCyclesEvent));
  uint32_t at = 0;
  while (at < all->count && strcmp(all->events[at].name, kCyclesEvent) != 0) ++at;
  if (at < all->count) {
    cycles = all->events[at];
  } else if (all->count < kMaxWantedEvents) {
    ++all->count;
  } else {
    at = all->count - 1;
    note_not_measured(all->events[at], "cycles take the last place for an event");
  }
  memmove(&all->events[1], &all->events[0], at * sizeof(HardwareEvent));
  all->events[0] = cycles;
}

/// Whether the user, and not the launching code, chose hardware events or the hardware source.
bool is_asked_for() {
  const char* source = rt::env("APMT_SOURCE");
  return (source != nullptr && strcmp(source, "hardware") == 0) ||
         (rt::env("APMT_EVENTS") != nullptr && rt::env("APMT_EVENTS_CHOSEN") == nullptr);
}

bool is_repeated(const EventSets& all, uint32_t i) {
  for (uint32_t k = 0; k < i; ++k)
    if (strcmp(all.events[k].name, all.events[i].name) == 0) return true;
  return false;
}

}  // namespace

bool parse_events(const char* text, EventSets* out) {
  out->count = 0;
  out->sets = 1;
  for (const char* at = text; *at != '\0';) {
    const size_t length = strcspn(at, ",");
    // Names may contain colons; the text after the last colon is a period only if it is a number.
    size_t name_length = length;
    uint64_t period = 0;
    size_t digits = 0;
    while (digits < length && at[length - 1 - digits] >= '0' && at[length - 1 - digits] <= '9')
      ++digits;
    if (digits > 0 && digits < length && at[length - 1 - digits] == ':') {
      name_length = length - digits - 1;
      period = strtoull(at + name_length + 1, nullptr, 10);
      if (period < 100 || period > kLongestPapiPeriod) return false;
    }
    if (name_length == 0 || name_length >= sizeof out->events[0].name ||
        out->count == kMaxWantedEvents)
      return false;
    add(out, at, name_length, period);
    at += length;
    if (*at == ',') ++at;
  }
  return out->count > 0;
}

const char* find_event_sets(EventSets* all) {
  const char* wanted = rt::env("APMT_EVENTS");
  if (wanted != nullptr && !parse_events(wanted, all)) {
    rt::note(
        "APMT_EVENTS is not NAME:PERIOD,NAME:PERIOD with periods from 100 to 2147483647: ignored");
    wanted = nullptr;
  }
  if (wanted == nullptr) {
    all->count = 0;
    add(all, kCyclesEvent, strlen(kCyclesEvent), 0);
    add(all, kInstructionsEvent, strlen(kInstructionsEvent), 0);
  }
  put_cycles_first(all);
  // PAPI takes milliseconds to find that there are no counters; the kernel answers at once. If the
  // user asked for counters, PAPI is tried in any case.
  const char* why_not = !is_asked_for() ? kernel_has_no_cycles() : nullptr;
  if (why_not == nullptr) why_not = papi_is_disabled();
  if (why_not == nullptr) why_not = find_and_try(&all->events[0]);
  if (why_not != nullptr) {
    // Missing counters are reported only to users who asked for them; a kernel setting is always
    // reported, because it can be changed.
    const char* cause = perf_setting_forbids();
    if (is_asked_for() || *cause != '\0') note_not_measured(all->events[0], why_not, cause);
    return why_not;
  }
  uint32_t kept = 1;
  for (uint32_t i = 1; i < all->count; ++i) {
    HardwareEvent event = all->events[i];
    if (is_repeated(*all, i)) continue;
    if (const char* why = find_and_try(&event))
      note_not_measured(event, why);
    else
      all->events[kept++] = event;
  }
  all->count = kept;
  split(all, wanted == nullptr);
  return nullptr;
}

}  // namespace apmt::sampler
