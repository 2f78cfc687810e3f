// PAPI's software event perf::TASK-CLOCK: overflows after so many nanoseconds of the thread's CPU time.

#include <signal.h>

#include "profiler/runtime/state.h"
#include "profiler/sampler/papi_api.h"
#include "profiler/sampler/source.h"

namespace apmt::sampler {
namespace {

thread_local int t_event_set = PAPI_NULL;

/// PAPI calls this from its own signal handler, on the thread that overflowed.
void on_overflow(int event_set, void* address, long long, void*) {
  if (event_set != t_event_set) return;
  take_sample(reinterpret_cast<uint64_t>(address), 1);
}

const char* start_thread(uint64_t period) {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr) return why;
  int code = 0;
  int set = PAPI_NULL;
  int error = api->register_thread();
  if (error == PAPI_OK) error = api->event_name_to_code("perf::TASK-CLOCK", &code);
  if (error == PAPI_OK) error = api->create_eventset(&set);
  if (error == PAPI_OK) error = api->add_event(set, code);
  if (error == PAPI_OK) error = api->overflow(set, code, static_cast<int>(period), 0, on_overflow);
  t_event_set = set;  // the first overflow may come before PAPI_start returns
  if (error == PAPI_OK) error = api->start(set);
  if (error == PAPI_OK) return nullptr;
  t_event_set = PAPI_NULL;
  return api->strerror(error);
}

void stop_thread() {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr || t_event_set == PAPI_NULL) return;
  // Stopped, not destroyed: PAPI would close descriptors that the program may have closed and
  // opened again as its own.
  long long unused[2];
  api->stop(t_event_set, unused);
  t_event_set = PAPI_NULL;
}

/// Work of a known length, timed in pieces: those in which a sample arrived took longer.
__attribute__((noinline)) void spin_a_while() {
  uint64_t x = 1;
  for (int i = 0; i < 10000; ++i) {
    x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    asm volatile("" : "+r"(x));
  }
}

const char* measure_cost_ns(uint64_t* cost_ns) {
  constexpr uint64_t kTrialPeriodNs = 200000;
  constexpr uint64_t kEnough = 8;
  constexpr int64_t kPatienceNs = 10000000;
  if (const char* why = start_thread(kTrialPeriodNs)) return why;
  int64_t usual = INT64_MAX;  // a piece without a sample: the shortest
  int64_t hit_ns = 0;
  uint64_t hits = 0;
  const uint64_t& taken = rt::state().recording.threads[rt::self().slot].samples;
  const int64_t begin = rt::now_ns();
  while (hits < kEnough && rt::now_ns() - begin < kPatienceNs) {
    const uint64_t before = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    const int64_t t0 = rt::thread_cpu_ns();
    spin_a_while();
    const int64_t took = rt::thread_cpu_ns() - t0;
    if (__atomic_load_n(&taken, __ATOMIC_RELAXED) == before) {
      if (took < usual) usual = took;
    } else {
      hit_ns += took;
      ++hits;
    }
  }
  stop_thread();
  if (hits == 0) return "it starts but delivers no sample";
  const int64_t each = hit_ns / static_cast<int64_t>(hits) - (usual == INT64_MAX ? 0 : usual);
  *cost_ns = each > 0 ? static_cast<uint64_t>(each) : 0;
  return nullptr;
}

}  // namespace

const Source kTaskClock = {format::SampleSource::kTaskClock, "perf::TASK-CLOCK", start_thread, stop_thread,
                           measure_cost_ns};

}  // namespace apmt::sampler
