#include "machine/known_work.h"

#include <cstddef>
#include <memory>

namespace apmt {

std::uint64_t count_down(std::uint64_t rounds) {
  if (rounds == 0) return 0;
  std::uint64_t left = rounds;
#if defined(__x86_64__)
  asm volatile("1: dec %0\n\tjnz 1b" : "+r"(left) : : "cc");
  return 2 * rounds;
#elif defined(__aarch64__)
  asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
  return 2 * rounds;
#else
  while (left != 0) asm volatile("" : "+r"(left) : "0"(left - 1));
  return 0;
#endif
}

std::uint64_t touch_memory() {
  constexpr std::size_t kSmall = 512;  // 4 KiB: fits into any L1
  constexpr std::size_t kLarge = (std::size_t{64} << 20) / sizeof(std::uint64_t);
  constexpr int kRounds = 2000;
  constexpr int kSteps = 300000;
  const auto large = std::make_unique<std::uint64_t[]>(kLarge);  // zeroed, so every page exists
  volatile std::uint64_t* words = large.get();
  std::uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < kSmall; ++i) sum += words[i];
  std::uint64_t at = 1;
  for (int step = 0; step < kSteps; ++step) {
    at = at * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t place = static_cast<std::size_t>(at >> 33) % kLarge;
    words[place] = words[place] + at;
    sum += words[kLarge - 1 - place];
  }
  return sum;
}

}  // namespace apmt
