// The loops that are timed.
#include <algorithm>
#include <barrier>
#include <random>
#include <thread>

#include "machine/arena.h"
#include "machine/memory_probe.h"

namespace apmt {
namespace {

/// Marks functions that use this processor's widest vectors, chosen when the program starts.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define APMT_WIDEST __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define APMT_WIDEST
#endif

typedef std::uint64_t Words __attribute__((vector_size(64)));
typedef double Doubles __attribute__((vector_size(64)));

APMT_WIDEST std::uint64_t read_all(const Words* words, std::uint64_t count, std::uint64_t passes) {
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
  return a[0] ^ a[7];
}

APMT_WIDEST void add_scaled(Doubles* a, const Doubles* b, const Doubles* c, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) a[i] = b[i] + 3.0 * c[i];
}

/// Links all lines into one cycle in random order (Sattolo), which no prefetcher can predict.
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
  return read_all(reinterpret_cast<const Words*>(begin), bytes / sizeof(Words), passes);
}

Figure read_bytes_per_s(std::uint64_t bytes, const Patience& patience, const Place& place) {
  const OnCpu stay(place.cpu);
  constexpr std::uint64_t kAtATime = 4 * sizeof(Words);
  bytes = std::max(bytes / kAtATime, std::uint64_t{1}) * kAtATime;
  const Arena arena(bytes, place.node);
  const Words* words = reinterpret_cast<const Words*>(arena.begin());
  const std::uint64_t count = bytes / sizeof(Words);
  const std::uint64_t passes = std::max<std::uint64_t>((std::uint64_t{1} << 28) / bytes, 1);
  volatile std::uint64_t sum = read_all(words, count, 1);
  return repeat(
      [&] {
        const double begin = thread_cpu_s();
        sum = read_all(words, count, passes);
        return static_cast<double>(bytes * passes) / (thread_cpu_s() - begin);
      },
      patience);
}

Figure stream_bytes_per_s(int cores, std::uint64_t bytes_of_all, const Patience& patience) {
  const std::uint64_t count =
      bytes_of_all / 3 / static_cast<std::uint64_t>(cores) / sizeof(Doubles) + 1;
  constexpr int kPasses = 3;
  std::vector<double> rates;
  const double begin_s = now_s();
  bool go_on = true;
  double begin = 0;
  // All cores work between two barriers. The last one to arrive at a barrier reads the clock.
  std::barrier start(cores, [&]() noexcept { begin = now_s(); });
  std::barrier finish(cores, [&]() noexcept {
    const double bytes = 3.0 * static_cast<double>(sizeof(Doubles) * count) * kPasses * cores;
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
    const Arena arena(3 * count * sizeof(Doubles));  // the core that uses it touches it
    Doubles* a = reinterpret_cast<Doubles*>(arena.begin());
    do {
      start.arrive_and_wait();
      for (int pass = 0; pass < kPasses; ++pass) add_scaled(a, a + count, a + 2 * count, count);
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
