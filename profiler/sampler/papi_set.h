// Sets of PAPI events on the calling thread; each event has its own overflow. PAPI translates the
// events and opens their counters. The code here switches sets on and off and handles overflows,
// because PAPI runs one set at a time and cannot change it in a signal handler.
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

/// Larger than what all but a few processors count at once.
inline constexpr uint32_t kMaxSetEvents = 8;

/// Events that are counted together.
struct PapiSet {
  PapiEvent events[kMaxSetEvents];
  uint32_t count;
};

/// With so many sets, each time slice has at least a quarter of the time; less would be too little
/// for an estimate.
inline constexpr uint32_t kMaxSets = 3;
static_assert(kMaxSets <= format::kMaxSlices);

/// Finds the code of an event's name. nullptr on success, otherwise the reason.
const char* find_papi_event(const char* name, int* code);

/// Why PAPI cannot count anything here; nullptr if it can.
const char* papi_is_disabled();

/// Starts sampling the calling thread with the sets. If there are several, each is on for a time
/// slice and is then followed by the next: after `slice_samples` samples of its first event, or up
/// to twice as many, so that slices do not follow the program's own rhythm. nullptr on success,
/// otherwise the reason (then nothing is left open).
const char* start_papi_sets(const PapiSet* sets, uint32_t count, uint32_t slice_samples);

/// The counts of the calling thread's first set, one value per event. False if the kernel cannot
/// return them. For calibration only: later, the program may have reused the descriptors.
bool read_papi_set(uint64_t (&values)[kMaxSetEvents]);

/// Records the count of each of the calling thread's counters since it was started, and how many of
/// its overflows arrived. async-signal-safe; the caller must save errno.
void note_papi_totals();

/// The calling thread's counters go on, but send no signal until they are released. Their records
/// of that time are sampled at the release; those in the kernel are attributed to `pc`.
/// Async-signal-safe.
void hold_papi_sets();
void release_papi_sets(uint64_t pc);

/// Stops and closes the calling thread's sets. Those whose descriptors the program has closed are
/// left alone: the numbers may be files of the program by now. False if there was nothing to
/// stop.
bool stop_papi_sets();

/// As stop_papi_sets(), at a thread's end: also frees PAPI's data of the thread.
void end_papi_thread();

/// While it exists, the lowest descriptors are in use, so that PAPI's descriptors get numbers above
/// those that programs hard-code, count, or pass to select().
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
