// A simulated processor with counters, for tests. It implements the sampler's interface to counters
// (papi_set.h) and is linked, in place of PAPI, into a separate library that only tests preload;
// nothing of it is installed.
//
// Core frequencies are read from files like those of the kernel: the main thread of rank N runs at
// the frequency in $PLANTED_MACHINE/sys/devices/system/cpu/cpufreq/policyN, the first other thread
// that executes work runs at the frequency in policyN+1, and so on (policy0 where there is no such
// policy). The events are those of a Skylake (LIBPFM_FORCE_PMU=skx). Eight events can be counted at
// once.
//
// Each function has counters of its own, so that no count is lost or attributed to another
// function: the planted counts (those that a program states) are recorded exactly, to within one
// sample. With PLANTED_OVERFLOWS=n only every nth overflow is delivered, as by a kernel that cannot
// keep up. With PLANTED_COUNTERS=n at most n events are counted at once.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/small_file.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/papi_api.h"
#include "profiler/sampler/papi_set.h"
#include "profiler/sampler/perf_setting.h"
#include "profiler/sampler/sample_cost.h"
#include "profiler/sampler/source.h"
#include "tests/inject/processor/planted_work.h"

namespace apmt::sampler {
namespace {

enum Event : int { kCycles, kInstructions, kL1, kL2, kLlc, kMemory, kStalledLoads, kStalledStores };
constexpr const char* kEventNames[] = {"PAPI_TOT_CYC",
                                       "PAPI_TOT_INS",
                                       "skx::MEM_LOAD_RETIRED:L1_HIT",
                                       "skx::MEM_LOAD_RETIRED:L2_HIT",
                                       "skx::MEM_LOAD_RETIRED:L3_HIT",
                                       "skx::MEM_LOAD_RETIRED:L3_MISS",
                                       "skx::CYCLE_ACTIVITY:STALLS_MEM_ANY",
                                       "skx::EXE_ACTIVITY:BOUND_ON_STORES"};

constexpr uint32_t kMaxFunctions = 16;
struct FunctionCounters {
  uint64_t pc;
  double left[kMaxSetEvents];  // events counted since the last sample
};
thread_local PapiSet t_set = {};
thread_local double t_hz = 0;   // the thread's frequency, read when the events were started
thread_local int t_worker = 0;  // from 1; 0: not a worker, or not yet
int g_workers = 0;
thread_local double t_counted[kMaxSetEvents] = {};
thread_local uint64_t t_overflows[kMaxSetEvents] = {};
thread_local uint64_t t_delivered[kMaxSetEvents] = {};
thread_local FunctionCounters t_functions[kMaxFunctions] = {};

/// A number from a file of this thread's frequency policy; 0 if there is none.
double policy_number(const char* file) {
  const char* machine = getenv("PLANTED_MACHINE");
  if (machine == nullptr) return 0;
  const int policies[] = {rt::launcher_rank() + t_worker, 0};
  for (const int policy : policies) {
    char path[512];
    char text[32];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpufreq/policy%d/%s", machine, policy,
             file);
    if (rt::read_small_file(path, text, sizeof text) > 0) return strtod(text, nullptr);
  }
  return 0;
}

/// The frequency that the files set: the upper limit, or the speed under governor userspace.
double frequency_hz() {
  const double speed_khz = policy_number("scaling_setspeed");  // "<unsupported>" if not userspace
  return 1000 * (speed_khz > 0 ? speed_khz : policy_number("scaling_max_freq"));
}

double count_of(int event, const PlantedWork& work, double hz) {
  const double stalled = work.instructions * work.bf_mem * hz *
                         (work.hit_llc * PLANTED_LLC_S + work.acc_mm * PLANTED_MEMORY_S);
  switch (event) {
    case kCycles:
      return work.instructions * work.cpi_core + stalled;
    case kInstructions:
      return work.instructions;
    case kL1:
      return work.instructions * work.hit_l1;
    case kL2:
      return work.instructions * work.hit_l2;
    case kLlc:
      return work.instructions * work.hit_llc;
    case kMemory:
      return work.instructions * work.acc_mm;
    case kStalledLoads:
      return 0.75 * stalled;
    default:
      return 0.25 * stalled;
  }
}

/// How many of these overflows of event `i` are delivered to the handler.
uint64_t deliver(uint32_t i, uint64_t overflows) {
  const char* text = getenv("PLANTED_OVERFLOWS");
  const uint64_t nth = text == nullptr ? 1 : strtoull(text, nullptr, 10);
  t_overflows[i] += overflows;
  const uint64_t delivered = t_overflows[i] / nth - t_delivered[i];
  t_delivered[i] += delivered;
  return delivered;
}

void count(uint64_t pc, const PlantedWork& work) {
  uint32_t at = 0;
  while (at + 1 < kMaxFunctions && t_functions[at].pc != 0 && t_functions[at].pc != pc) ++at;
  FunctionCounters& function = t_functions[at];
  if (function.pc == 0)  // start at half a period, so that the last partial sample is rounded
    for (uint32_t i = 0; i < t_set.count; ++i)
      function.left[i] = 0.5 * static_cast<double>(t_set.events[i].period);
  function.pc = pc;
  for (uint32_t i = 0; i < t_set.count; ++i) {
    const PapiEvent& event = t_set.events[i];
    const double period = static_cast<double>(event.period);
    const double counted = count_of(event.code, work, t_hz);
    t_counted[i] += counted;
    function.left[i] += counted;
    const uint64_t overflows = static_cast<uint64_t>(function.left[i] / period);
    function.left[i] -= static_cast<double>(overflows) * period;
    const uint64_t samples = deliver(i, overflows);
    if (samples > 0) take_sample(pc, event.number, samples);
  }
}

/// The clock is read rarely, because reading it takes time in the kernel, where nothing is counted.
void spend_cpu_time(double seconds) {
  const int64_t end_ns = rt::thread_cpu_ns() + static_cast<int64_t>(seconds * 1e9);
  while (rt::thread_cpu_ns() < end_ns)
    for (int i = 0; i < 30000; ++i) __asm__ volatile("");
}

/// Makes the calling thread a worker. Threads of the MPI library execute no work of the program,
/// and do not become workers.
void become_worker() {
  if (t_worker > 0 || rt::self().slot == 0) return;
  t_worker = __atomic_add_fetch(&g_workers, 1, __ATOMIC_RELAXED);
  t_hz = frequency_hz();
}

}  // namespace

const char* find_papi_event(const char* name, int* code) {
  for (int i = 0; i < static_cast<int>(sizeof kEventNames / sizeof *kEventNames); ++i) {
    *code = i;
    if (strcmp(name, kEventNames[i]) == 0) return nullptr;
  }
  return "the planted processor has no such event";
}

const char* papi_is_disabled() {
  return frequency_hz() > 0 ? nullptr : "the planted processor has no frequency";
}

const char* start_papi_sets(const PapiSet* sets, uint32_t count, uint32_t) {
  if (count != 1) return "the planted processor takes no turns";
  const char* counters = getenv("PLANTED_COUNTERS");
  if (counters != nullptr && sets[0].count > strtoull(counters, nullptr, 10))
    return "the planted processor has too few counters";
  t_set = sets[0];
  t_hz = frequency_hz();
  return nullptr;
}

/// The counts since the thread began. Cycles are CPU time times frequency; every other event counts
/// half as much as cycles.
bool read_papi_set(uint64_t (&values)[kMaxSetEvents]) {
  const double cycles = t_hz * 1e-9 * static_cast<double>(rt::thread_cpu_ns());
  for (uint32_t i = 0; i < t_set.count; ++i)
    values[i] = static_cast<uint64_t>(t_set.events[i].code == kCycles ? cycles : cycles / 2);
  return t_set.count > 0;
}

void note_papi_totals() {
  for (uint32_t i = 0; i < t_set.count; ++i)
    note_total(t_set.events[i].number, {static_cast<uint64_t>(t_counted[i]), t_delivered[i], 0});
}

bool stop_papi_sets() {
  const bool was_on = t_set.count > 0;
  t_set.count = 0;
  return was_on;
}

void hold_papi_sets() {}  // these sets send no signals
void release_papi_sets(uint64_t) {}

void end_papi_thread() {
  note_papi_totals();
  stop_papi_sets();
}

LowDescriptorsTaken::LowDescriptorsTaken() = default;
LowDescriptorsTaken::~LowDescriptorsTaken() = default;

const PapiApi* papi(const char** why) {
  *why = "the planted processor has no PAPI";
  return nullptr;
}

__attribute__((noinline)) void spin_a_while() { spend_cpu_time(50e-6); }

/// A sample costs nothing on the simulated processor.
const char* time_samples(uint64_t (*)(), SampleCost* cost) {
  *cost = {0, 0};
  return nullptr;
}

const char* papi_version() { return nullptr; }

const char* perf_setting_forbids() { return ""; }
const char* kernel_has_no_cycles() { return nullptr; }

}  // namespace apmt::sampler

extern "C" void planted_execute(const PlantedWork* work) {
  using namespace apmt::sampler;
  if (!(t_hz > 0)) return;
  become_worker();
  spend_cpu_time(count_of(kCycles, *work, t_hz) / t_hz);
  // An address inside the call instruction, which is in the function that executes the work.
  count(reinterpret_cast<uint64_t>(__builtin_return_address(0)) - 1, *work);
}
