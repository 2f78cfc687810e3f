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

const char* time_samples(uint64_t (*samples_so_far)(), SampleCost* cost) {
  struct Piece {
    int64_t took_ns;
    uint64_t handler_ns;
  };
  constexpr uint32_t kEnough = 15;
  constexpr int64_t kPatienceNs = 10000000;
  int64_t usual_ns = INT64_MAX;  // the shortest piece without a sample
  Piece with_samples[kEnough];   // sorted
  uint64_t samples = 0;
  uint32_t pieces = 0;
  const uint64_t& handler_ns = rt::state().recording.header->handler_ns;
  const int64_t begin = rt::thread_cpu_ns();  // CPU time, because other processes may use the core
  while (pieces < kEnough && rt::thread_cpu_ns() - begin < kPatienceNs) {
    const uint64_t before = samples_so_far();
    const uint64_t handler_before = __atomic_load_n(&handler_ns, __ATOMIC_RELAXED);
    const int64_t t0 = rt::thread_cpu_ns();
    spin_a_while();
    const uint64_t more = samples_so_far() - before;
    const Piece piece = {rt::thread_cpu_ns() - t0,
                         __atomic_load_n(&handler_ns, __ATOMIC_RELAXED) - handler_before};
    if (more == 0) {
      if (piece.took_ns < usual_ns) usual_ns = piece.took_ns;
      continue;
    }
    samples += more;
    uint32_t at = pieces++;
    for (; at > 0 && with_samples[at - 1].took_ns > piece.took_ns; --at)
      with_samples[at] = with_samples[at - 1];
    with_samples[at] = piece;
  }
  if (pieces == 0) return "it starts but delivers no sample";
  if (usual_ns == INT64_MAX) usual_ns = 0;  // every piece had a sample: all its time counts as cost
  // The piece with the median time is used, because the first samples are slower: they are the
  // first to touch some memory.
  const Piece& middle = with_samples[pieces / 2];
  const int64_t extra_ns = middle.took_ns - usual_ns;
  cost->whole_ns = extra_ns > 0 ? static_cast<uint64_t>(extra_ns) * pieces / samples : 0;
  cost->handler_ns = middle.handler_ns * pieces / samples;
  return nullptr;
}

}  // namespace apmt::sampler
