// Which hardware events are counted, and which of them together. If there are more events than the
// processor has counters, they are split into sets, one per process; nothing is ever multiplexed.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"

namespace apmt::sampler {

inline constexpr uint32_t kMaxWantedEvents = 48;

struct HardwareEvent {
  char name[96];
  int code;
  uint64_t period;  // 0: to be chosen by what a sample costs
  uint32_t set;     // counts from 0
};

struct EventSets {
  HardwareEvent events[kMaxWantedEvents];  // the first is always cycles, and belongs to every set
  uint32_t count;
  uint32_t sets;
};

/// The name of the event that time is derived from.
inline constexpr const char* kCyclesEvent = "PAPI_TOT_CYC";

/// The events of APMT_EVENTS ("NAME:PERIOD,NAME"), or cycles and instructions, as far as they can
/// be counted here: each was started, and counted something. Those that cannot be counted are noted
/// in the recording. nullptr on success; otherwise the reason why not even cycles can be counted.
const char* find_event_sets(EventSets* out);

/// Splits `text` into events; false when it is not as described. Periods not given are 0.
bool parse_events(const char* text, EventSets* out);

}  // namespace apmt::sampler
