// Chooses which hardware events are counted, and which of them together. If there are more events
// than the processor has counters, they are split into sets. Processes count different sets, or
// each process counts several sets in turn; the kernel never multiplexes counters.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"

namespace apmt::sampler {

inline constexpr uint32_t kMaxWantedEvents = 48;
/// The size includes the terminating NUL. Names with many unit masks are long: some for AMD
/// processors have more than 150 bytes.
inline constexpr uint32_t kMaxEventName = 256;

struct HardwareEvent {
  char name[kMaxEventName];
  int code;
  uint64_t period;  // 0: to be chosen from the cost of a sample
  uint32_t set;     // the set to which it belongs, from 0 on
};

struct EventSets {
  HardwareEvent events[kMaxWantedEvents];  // the first is always cycles, and belongs to every set
  uint32_t count;
  uint32_t sets;
};

/// The name of the event from which time is computed.
inline constexpr const char* kCyclesEvent = "PAPI_TOT_CYC";

/// Finds the events of APMT_EVENTS ("NAME:PERIOD,NAME"), or else cycles and instructions. Keeps
/// those that count something in a trial, and notes the others in the recording. Returns nullptr on
/// success, otherwise the reason why not even cycles can be counted.
const char* find_event_sets(EventSets* out);

/// Parses events in the form of APMT_EVENTS; false if `text` does not have this form. A period that
/// is not given becomes 0.
bool parse_events(const char* text, EventSets* out);

}  // namespace apmt::sampler
