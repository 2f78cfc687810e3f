// Which hardware events are counted, and which of them together. If there are more events than the
// processor has counters, they are split into sets, one per process; nothing is ever multiplexed.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"

namespace apmt::sampler {

inline constexpr uint32_t kMaxWantedEvents = 48;
/// Including the end. The longest names have many unit masks: those of AMD's counter maps have more
/// than 150 bytes.
inline constexpr uint32_t kMaxEventName = 256;

struct HardwareEvent {
  char name[kMaxEventName];
  int code;
  uint64_t period;  // 0: to be chosen from the cost of a sample
  uint32_t set;     // counts from 0
};

struct EventSets {
  HardwareEvent events[kMaxWantedEvents];  // the first is always cycles, and belongs to every set
  uint32_t count;
  uint32_t sets;
};

/// The name of the event from which time is computed.
inline constexpr const char* kCyclesEvent = "PAPI_TOT_CYC";

/// Finds the events of APMT_EVENTS ("NAME:PERIOD,NAME"), or else cycles and instructions. Keeps
/// those that counted something when started, and notes the others in the recording. nullptr on
/// success; otherwise the reason why not even cycles can be counted.
const char* find_event_sets(EventSets* out);

/// Splits `text` into events; false if it is not in this form. A period that is not given is 0.
bool parse_events(const char* text, EventSets* out);

}  // namespace apmt::sampler
