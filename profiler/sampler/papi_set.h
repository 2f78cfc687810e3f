// Samples the calling thread with sets of PAPI events; each event has its own overflow period. PAPI
// translates event names and opens the counters. But the code here enables and disables sets and
// handles overflows, because PAPI runs one set at a time and cannot switch sets in a handler.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"

namespace apmt::sampler {

struct PapiEvent {
  int code;         // from PAPI_event_name_to_code
  uint32_t number;  // of the event in the recording
  uint64_t period;  // at most kLongestPapiPeriod
};

inline constexpr uint64_t kLongestPapiPeriod = 0x7fffffff;

/// At most this many events are counted together, even if the processor has more counters.
inline constexpr uint32_t kMaxSetEvents = 8;

/// Events that are counted together.
struct PapiSet {
  PapiEvent events[kMaxSetEvents];
  uint32_t count;
};

/// With this many sets, each is counted for about a third of the time. With more sets, some would
/// be counted for less than a quarter, which is too little for an estimate (fold_counters.cpp).
inline constexpr uint32_t kMaxSets = 3;
static_assert(kMaxSets <= format::kMaxSlices);

/// Finds PAPI's code for an event. Returns nullptr on success, otherwise the reason for the
/// failure.
const char* find_papi_event(const char* name, int* code);

/// Why PAPI cannot count anything on this machine; nullptr if it can.
const char* papi_is_disabled();

/// Starts sampling the calling thread with the sets. Several sets take turns, each for a time slice
/// of `slice_samples` to twice as many samples of its first event. The length is random, so that
/// slices do not follow the program's own rhythm. Returns nullptr on success, otherwise the reason
/// for the failure; then nothing is left open.
const char* start_papi_sets(const PapiSet* sets, uint32_t count, uint32_t slice_samples);

/// Reads the counts of the calling thread's first set, one value per event. False if that fails.
/// For calibration only, because later the program may have reused the descriptors.
bool read_papi_set(uint64_t (&values)[kMaxSetEvents]);

/// Records, for each of the calling thread's counters, the count since the start and the number of
/// overflows received. Async-signal-safe; the caller must save errno.
void note_papi_totals();

/// Between hold and release, the calling thread's counters continue to count but send no signals.
/// release_papi_sets() then takes the samples of that time from the records, and attributes records
/// with addresses in the kernel to `pc`. Both are async-signal-safe.
void hold_papi_sets();
void release_papi_sets(uint64_t pc);

/// Stops and closes the calling thread's sets. If the program has closed their descriptors, these
/// are not touched, because the numbers may belong to files of the program by now. False if nothing
/// was closed.
bool stop_papi_sets();

/// Like stop_papi_sets(), for a thread that is about to end: also records its totals and frees
/// PAPI's data of the thread.
void end_papi_thread();

/// While a LowDescriptorsTaken exists, the lowest descriptor numbers are in use (unless ulimit -n
/// allows too few), so that PAPI's descriptors get higher numbers than those that programs
/// hard-code or usually pass to select().
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
