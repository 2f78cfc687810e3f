#include "machine/core_probe.h"

#include <csignal>
#include <cstdint>
#include <ctime>

#include "machine/repeat.h"

namespace apmt {
namespace {

constexpr std::uint64_t kChain = 20000000;
constexpr std::uint64_t kUnrolled = 16;

/// The time of kChain additions, each of which waits for the one before. Both operands are
/// registers, because some processors add a constant at no cost.
[[maybe_unused]] double seconds_of_chain() {
  std::uint64_t sum = 1;
  std::uint64_t step = 3;
  const double begin = thread_cpu_s();
  for (std::uint64_t i = 0; i < kChain / kUnrolled; ++i) {
#if defined(__x86_64__)
    asm volatile(
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0"
        : "+r"(sum)
        : "r"(step)
        : "cc");
#elif defined(__aarch64__)
    asm volatile(
        "add %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\t"
        "add %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\t"
        "add %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\t"
        "add %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1"
        : "+r"(sum)
        : "r"(step));
#endif
  }
  return thread_cpu_s() - begin;
}

void do_nothing(int) {}

}  // namespace

std::optional<Figure> measure_frequency_hz() {
#if defined(__x86_64__) || defined(__aarch64__)
  seconds_of_chain();  // a warm-up: lets the core reach its frequency under load
  return repeat([] { return static_cast<double>(kChain) / seconds_of_chain(); });
#else
  return std::nullopt;
#endif
}

Figure measure_clock_ns() {
  constexpr int kCalls = 100000;
  return repeat([] {
    timespec now{};
    const double begin = now_s();
    for (int i = 0; i < kCalls; ++i) ::clock_gettime(CLOCK_MONOTONIC, &now);
    return (now_s() - begin) * 1e9 / kCalls;
  });
}

Figure measure_signal_ns() {
  constexpr int kSignals = 20000;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = do_nothing;
  ::sigaction(SIGURG, &action, &before);
  const Figure cost = repeat([] {
    const double begin = now_s();
    for (int i = 0; i < kSignals; ++i) ::raise(SIGURG);
    return (now_s() - begin) * 1e9 / kSignals;
  });
  ::sigaction(SIGURG, &before, nullptr);
  return cost;
}

}  // namespace apmt
