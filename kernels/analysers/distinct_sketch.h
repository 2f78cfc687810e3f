// Estimates how many distinct numbers were added: HyperLogLog with 1024 one-byte registers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace apmt::kernels {

class DistinctSketch {
 public:
  void add(std::uint64_t number) {
    // The finaliser of SplitMix64, which distributes neighbouring numbers over all bits.
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    number ^= number >> 31;
    std::uint8_t& deepest = registers_[number >> (64 - kIndexBits)];
    const auto depth =
        static_cast<std::uint8_t>(std::countl_zero(number << kIndexBits | kStop) + 1);
    deepest = std::max(deepest, depth);
  }

  double estimate() const {
    constexpr double n = kRegisters;
    double sum = 0;
    std::size_t empty = 0;
    for (const std::uint8_t depth : registers_) {
      sum += std::ldexp(1.0, -depth);
      empty += depth == 0;
    }
    const double raw = 0.7213 / (1 + 1.079 / n) * n * n / sum;
    if (raw <= 2.5 * n && empty > 0) return n * std::log(n / static_cast<double>(empty));
    return raw;
  }

 private:
  static constexpr unsigned kIndexBits = 10;
  static constexpr std::size_t kRegisters = 1 << kIndexBits;
  /// add() shifts the index out of the number and sets this bit just below the remaining bits, so
  /// that the count of leading zeros ends there at the latest.
  static constexpr std::uint64_t kStop = 1 << (kIndexBits - 1);
  std::array<std::uint8_t, kRegisters> registers_ = {};
};

}  // namespace apmt::kernels
