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

/// Nearly all processors count fewer events at once.
inline constexpr uint32_t kMaxSetEvents = 8;

/// Events that are counted together.
struct PapiSet {
  PapiEvent events[kMaxSetEvents];
  uint32_t count;
};

/// With at most this many sets, each is on for at least a quarter of the time; less would be too
/// little for an estimate.
inline constexpr uint32_t kMaxSets = 3;
static_assert(kMaxSets <= format::kMaxSlices);

/// Finds the code of an event's name. nullptr on success, otherwise the reason.
const char* find_papi_event(const char* name, int* code);

/// Why PAPI cannot count anything here; nullptr if it can.
const char* papi_is_disabled();

/// Starts sampling the calling thread with the sets. Several sets take turns, each for a time slice
/// of `slice_samples` to twice as many samples of its first event. The length is random, so that
/// slices do not follow the program's own rhythm. nullptr on success, otherwise the reason (then
/// nothing is left open).
const char* start_papi_sets(const PapiSet* sets, uint32_t count, uint32_t slice_samples);

/// The counts of the calling thread's first set, one value per event. False if the kernel cannot
/// return them. For calibration only, because later the program may have reused the descriptors.
bool read_papi_set(uint64_t (&values)[kMaxSetEvents]);

/// Records the count of each of the calling thread's counters since its start, and how many of its
/// overflows arrived. async-signal-safe; the caller must save errno.
void note_papi_totals();

/// Until released, the calling thread's counters go on but send no signal. The release takes
/// samples from the records of that time; records inside the kernel are attributed to `pc`.
/// Async-signal-safe.
void hold_papi_sets();
void release_papi_sets(uint64_t pc);

/// Stops and closes the calling thread's sets. If the program has closed their descriptors, they
/// are left alone, because the numbers may be files of the program by now. False if nothing was
/// stopped.
bool stop_papi_sets();

/// As stop_papi_sets(), and frees PAPI's data of the thread, which is about to end.
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
