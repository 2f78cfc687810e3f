#include "profiler/sampler/sample_cost.h"

#include "profiler/runtime/state.h"

namespace apmt::sampler {

__attribute__((noinline)) void spin_a_while() {
  uint64_t x = 1;
  for (int i = 0; i < 10000; ++i) {
    x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    asm volatile("" : "+r"(x));
  }
}

const char* time_samples(uint64_t* cost_ns) {
  constexpr uint32_t kEnough = 15;
  constexpr int64_t kPatienceNs = 10000000;
  int64_t usual = INT64_MAX;      // a piece without a sample: the shortest
  int64_t with_samples[kEnough];  // sorted
  uint64_t samples = 0;
  uint32_t pieces = 0;
  const uint64_t& taken = rt::state().recording.threads[rt::self().slot].samples;
  const int64_t begin = rt::thread_cpu_ns();  // other processes may have the processor meanwhile
  while (pieces < kEnough && rt::thread_cpu_ns() - begin < kPatienceNs) {
    const uint64_t before = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    const int64_t t0 = rt::thread_cpu_ns();
    spin_a_while();
    const int64_t took = rt::thread_cpu_ns() - t0;
    const uint64_t more = __atomic_load_n(&taken, __ATOMIC_RELAXED) - before;
    if (more == 0) {
      if (took < usual) usual = took;
      continue;
    }
    samples += more;
    uint32_t at = pieces++;
    for (; at > 0 && with_samples[at - 1] > took; --at) with_samples[at] = with_samples[at - 1];
    with_samples[at] = took;
  }
  if (pieces == 0) return "it starts but delivers no sample";
  if (usual == INT64_MAX) usual = 0;  // no piece without one: all of it is taken for cost
  // The middle one: the first samples touch memory for the first time, which is not what samples
  // cost.
  const int64_t extra = with_samples[pieces / 2] - usual;
  *cost_ns = extra > 0 ? static_cast<uint64_t>(extra) * pieces / samples : 0;
  return nullptr;
}

}  // namespace apmt::sampler
