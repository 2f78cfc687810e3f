// The loops whose times give the latency and bandwidth of memory.
#include <algorithm>
#include <barrier>
#include <random>
#include <thread>

#include "machine/arena.h"
#include "machine/memory_probe.h"

namespace apmt {
namespace {

template <class T, int kBytes>
struct Vector {
  typedef T Type __attribute__((vector_size(kBytes), may_alias));
};

template <int kBytes>
[[gnu::always_inline]] inline std::uint64_t read_by(const char* begin, std::uint64_t bytes,
                                                    std::uint64_t passes) {
  using Words = typename Vector<std::uint64_t, kBytes>::Type;
  const Words* words = reinterpret_cast<const Words*>(begin);
  const std::uint64_t count = bytes / sizeof(Words);
  Words a{}, b{}, c{}, d{};
  for (std::uint64_t pass = 0; pass < passes; ++pass)
    for (std::uint64_t i = 0; i + 4 <= count; i += 4) {
      a ^= words[i];
      b ^= words[i + 1];
      c ^= words[i + 2];
      d ^= words[i + 3];
      asm volatile("" : : "r"(words) : "memory");
    }
  a ^= b ^ c ^ d;
  return a[0] ^ a[1];
}

template <int kBytes>
[[gnu::always_inline]] inline void add_by(double* a, const double* b, const double* c,
                                          std::uint64_t count) {
  using Doubles = typename Vector<double, kBytes>::Type;
  constexpr std::uint64_t kLanes = kBytes / sizeof(double);
  for (std::uint64_t i = 0; i < count; i += kLanes)
    *reinterpret_cast<Doubles*>(a + i) =
        *reinterpret_cast<const Doubles*>(b + i) + 3.0 * *reinterpret_cast<const Doubles*>(c + i);
}

// The loops for one vector width. apmt uses the widest vectors that this processor has: the
// compiler would emulate wider ones by copies through memory.
using Read = std::uint64_t (*)(const char*, std::uint64_t, std::uint64_t);
using Add = void (*)(double*, const double*, const double*, std::uint64_t);
struct Loops {
  Read read;
  Add add;
};

#if defined(__x86_64__)
__attribute__((target("avx512f"))) std::uint64_t read_512(const char* begin, std::uint64_t bytes,
                                                          std::uint64_t passes) {
  return read_by<64>(begin, bytes, passes);
}
__attribute__((target("avx512f"))) void add_512(double* a, const double* b, const double* c,
                                                std::uint64_t count) {
  add_by<64>(a, b, c, count);
}
__attribute__((target("avx2"))) std::uint64_t read_256(const char* begin, std::uint64_t bytes,
                                                       std::uint64_t passes) {
  return read_by<32>(begin, bytes, passes);
}
__attribute__((target("avx2"))) void add_256(double* a, const double* b, const double* c,
                                             std::uint64_t count) {
  add_by<32>(a, b, c, count);
}
#endif

const Loops& loops() {
  static const Loops here = [] {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return Loops{read_512, add_512};
    if (__builtin_cpu_supports("avx2")) return Loops{read_256, add_256};
#endif
    return Loops{read_by<16>, add_by<16>};
  }();
  return here;
}

/// Links all cache lines into one cycle in random order (Sattolo's algorithm), which no prefetcher
/// can predict.
void** make_cycle(const Arena& arena, std::uint64_t lines, std::uint64_t line_bytes) {
  std::vector<std::uint32_t> next(lines);
  for (std::uint32_t i = 0; i < lines; ++i) next[i] = i;
  std::mt19937 random(12345);
  for (std::size_t i = lines - 1; i > 0; --i)
    std::swap(next[i], next[std::uniform_int_distribution<std::size_t>(0, i - 1)(random)]);
  for (std::size_t i = 0; i < lines; ++i)
    *reinterpret_cast<void**>(arena.begin() + i * line_bytes) =
        arena.begin() + next[i] * line_bytes;
  return reinterpret_cast<void**>(arena.begin());
}

void** walk(void** at, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; i += 8) {
    at = static_cast<void**>(*at);
    at = static_cast<void**>(*at);
    at = static_cast<void**>(*at);
    at = static_cast<void**>(*at);
    at = static_cast<void**>(*at);
    at = static_cast<void**>(*at);
    at = static_cast<void**>(*at);
    at = static_cast<void**>(*at);
  }
  asm volatile("" : "+r"(at));
  return at;
}

}  // namespace

Figure chase_ns(std::uint64_t bytes, std::uint64_t line_bytes, const Patience& patience,
                const Place& place) {
  const OnCpu stay(place.cpu);
  const std::uint64_t lines = std::max<std::uint64_t>(bytes / line_bytes, 2);
  const Arena arena(lines * line_bytes, place.node);
  void** at = make_cycle(arena, lines, line_bytes);
  constexpr std::uint64_t kFewest = 1 << 18;
  constexpr std::uint64_t kMost = 1 << 20;
  at = walk(at, std::min(2 * lines, 4 * kMost));
  const std::uint64_t steps = std::clamp(2 * lines, kFewest, kMost);
  return repeat(
      [&] {
        const double begin = thread_cpu_s();
        at = walk(at, steps);
        return (thread_cpu_s() - begin) * 1e9 / static_cast<double>(steps);
      },
      patience);
}

std::uint64_t read_memory(const char* begin, std::uint64_t bytes, std::uint64_t passes) {
  return loops().read(begin, bytes, passes);
}

Figure read_bytes_per_s(std::uint64_t bytes, const Patience& patience, const Place& place) {
  const OnCpu stay(place.cpu);
  constexpr std::uint64_t kAtATime = 256;
  bytes = std::max(bytes / kAtATime, std::uint64_t{1}) * kAtATime;
  const Arena arena(bytes, place.node);
  const std::uint64_t passes = std::max<std::uint64_t>((std::uint64_t{1} << 28) / bytes, 1);
  volatile std::uint64_t sum = read_memory(arena.begin(), bytes, 1);
  return repeat(
      [&] {
        const double begin = thread_cpu_s();
        sum = read_memory(arena.begin(), bytes, passes);
        return static_cast<double>(bytes * passes) / (thread_cpu_s() - begin);
      },
      patience);
}

Figure stream_bytes_per_s(int cores, std::uint64_t bytes_of_all, const Patience& patience) {
  // Elements of each array of a core: a multiple of 8, the most doubles that fit into a vector.
  const std::uint64_t count = (bytes_of_all / 3 / static_cast<std::uint64_t>(cores) / 64 + 1) * 8;
  constexpr int kPasses = 3;
  std::vector<double> rates;
  const double begin_s = now_s();
  bool go_on = true;
  double begin = 0;
  // All cores work between two barriers. The last one to arrive at a barrier reads the clock.
  std::barrier start(cores, [&]() noexcept { begin = now_s(); });
  std::barrier finish(cores, [&]() noexcept {
    const double bytes = 3.0 * static_cast<double>(sizeof(double) * count) * kPasses * cores;
    rates.push_back(bytes / (now_s() - begin));
    const int done = static_cast<int>(rates.size());
    go_on = done < patience.at_least ||
            (done < patience.at_most && summarise(rates).spread > patience.wanted_spread &&
             now_s() - begin_s < patience.seconds);
  });
  rates.reserve(static_cast<std::size_t>(patience.at_most) + 1);
  const std::vector<int> cpus = usable_cpus();
  const auto work = [&](std::size_t core) {
    const OnCpu stay(core < cpus.size() ? std::optional<int>(cpus[core]) : std::nullopt);
    const Arena arena(3 * count * sizeof(double));  // first touched by the core that uses it
    double* a = reinterpret_cast<double*>(arena.begin());
    do {
      start.arrive_and_wait();
      for (int pass = 0; pass < kPasses; ++pass) loops().add(a, a + count, a + 2 * count, count);
      finish.arrive_and_wait();
    } while (go_on);
  };
  std::vector<std::thread> others;
  for (std::size_t core = 0; core < static_cast<std::size_t>(cores); ++core)
    others.emplace_back(work, core);
  for (std::thread& other : others) other.join();
  return summarise(rates);
}

}  // namespace apmt
