// A set of PAPI events on the calling thread, each of which overflows by itself. PAPI opens the
// counters and keeps them; their signals come to our handler, which hands them on to PAPI's.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"

namespace apmt::sampler {

struct PapiEvent {
  int code;         // as PAPI_event_name_to_code says
  uint64_t period;  // at most kLongestPapiPeriod
};

inline constexpr uint64_t kLongestPapiPeriod = 0x7fffffff;

/// The code of an event's name. nullptr on success, otherwise why there is none.
const char* find_papi_event(const char* name, int* code);

/// Why PAPI can count nothing at all here, nullptr when it can.
const char* papi_is_disabled();

/// Starts sampling the calling thread with the set; `count` is 1 to format::kMaxEvents. nullptr on
/// success, otherwise why not (nothing is left open then).
const char* start_papi_set(const PapiEvent* events, uint32_t count);

/// What the calling thread's running set has counted, one value per event. False when PAPI cannot
/// say.
bool read_papi_set(long long* values);

/// Stops and closes the calling thread's set. One whose descriptors the program has closed is left
/// alone: the numbers may be files of the program's own by now. False when there was nothing to
/// stop.
bool stop_papi_set();

/// As stop_papi_set(), at a thread's end: PAPI's memory of the thread goes as well.
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
