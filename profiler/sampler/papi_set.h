// Sets of PAPI events on the calling thread, each event of which overflows by itself. PAPI knows
// the events, opens their counters and keeps them; who is switched on when, and what an overflow
// means, is decided here: PAPI runs one set at a time and cannot change it in a signal handler.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"

namespace apmt::sampler {

struct PapiEvent {
  int code;         // as PAPI_event_name_to_code says
  uint32_t number;  // in the recording
  uint64_t period;  // at most kLongestPapiPeriod
};

inline constexpr uint64_t kLongestPapiPeriod = 0x7fffffff;

/// More than processors count at once, but for few.
inline constexpr uint32_t kMaxSetEvents = 8;

/// Events that are counted together.
struct PapiSet {
  PapiEvent events[kMaxSetEvents];
  uint32_t count;
};

/// Time slices may each have a quarter of the time or more: what was counted in less is no
/// estimate.
inline constexpr uint32_t kMaxSets = 3;
static_assert(kMaxSets <= format::kMaxSlices);

/// The code of an event's name. nullptr on success, otherwise why there is none.
const char* find_papi_event(const char* name, int* code);

/// Why PAPI can count nothing at all here, nullptr when it can.
const char* papi_is_disabled();

/// Starts sampling the calling thread with the sets. With several, each is on for a time slice and
/// then gives way to the next: after `slice_samples` samples of its first event, or up to twice as
/// many, so that slices do not keep step with the program. nullptr on success, otherwise why not
/// (nothing is left open then).
const char* start_papi_sets(const PapiSet* sets, uint32_t count, uint32_t slice_samples);

/// What the first of the calling thread's sets has counted, one value per event. False when the
/// kernel cannot say. For calibration: the program's descriptors may be others later.
bool read_papi_set(uint64_t (&values)[kMaxSetEvents]);

/// Notes what each of the calling thread's counters has counted since it was started, and how many
/// of its overflows arrived. async-signal-safe; errno is the caller's business.
void note_papi_totals();

/// The calling thread's counters go on, and none of them sends a signal until they are released;
/// what they wrote down meanwhile is sampled then, at `pc` where it lies in the kernel.
/// Async-signal-safe.
void hold_papi_sets();
void release_papi_sets(uint64_t pc);

/// Stops and closes the calling thread's sets. Those whose descriptors the program has closed are
/// left alone: the numbers may be files of the program's own by now. False when there was nothing
/// to stop.
bool stop_papi_sets();

/// As stop_papi_sets(), at a thread's end: PAPI's memory of the thread goes as well.
void end_papi_thread();

/// While it lives, the lowest descriptors are taken, so that what PAPI opens gets numbers above
/// those that programs know by heart, count, or pass to select().
class LowDescriptorsTaken {
 public:
  LowDescriptorsTaken();
  ~LowDescriptorsTaken();
  LowDescriptorsTaken(const LowDescriptorsTaken&) = delete;
  LowDescriptorsTaken& operator=(const LowDescriptorsTaken&) = delete;

 private:
  static constexpr int kLowest = 256;
  int fds_[kLowest];
  int count_ = 0;
};

}  // namespace apmt::sampler
