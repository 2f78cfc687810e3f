// PAPI's software event perf::TASK-CLOCK: overflows after so many nanoseconds of the thread's CPU
// time.

#include "profiler/sampler/papi_set.h"
#include "profiler/sampler/sample_cost.h"
#include "profiler/sampler/source.h"

namespace apmt::sampler {
namespace {

constexpr const char* kEvent = "perf::TASK-CLOCK";

const char* start_thread(uint64_t period_ns) {
  PapiSet set = {};
  set.count = 1;
  PapiEvent& event = set.events[0];
  event.period = period_ns < kLongestPapiPeriod ? period_ns : kLongestPapiPeriod;
  if (const char* why = find_papi_event(kEvent, &event.code)) return why;
  return start_papi_sets(&set, 1, 0);
}

const char* measure_cost(SampleCost* cost) {
  constexpr uint64_t kTrialPeriodNs = 200000;
  if (const char* why = start_thread(kTrialPeriodNs)) return why;
  const char* why = time_samples(cost);
  stop_papi_sets();
  return why;
}

}  // namespace

constinit const Source kTaskClock = {format::SampleSource::kTaskClock,
                                     kEvent,
                                     start_thread,
                                     end_papi_thread,
                                     nullptr,
                                     measure_cost,
                                     note_papi_totals};

}  // namespace apmt::sampler
