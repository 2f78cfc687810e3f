// Chooses the invocations of a kernel that the analysers follow. Following all of them would be
// slow, and a program usually calls its kernels many times with similar work.
//
// The first kAlways invocations are followed. After the n-th invocation, the gap to the next one
// that is followed varies, about n / kAlways on average, so of N invocations about kAlways * (1 +
// ln(N / kAlways)) are followed. The gap varies because a program may call a kernel in cycles (on
// the levels of a multigrid solver), and regular gaps might always meet the same level. The gap
// depends on n alone, so two equal runs have the same result.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace apmt::kernels {

class FollowedInvocations {
 public:
  static constexpr std::uint64_t kAlways = 8;

  /// Call at each invocation of a kernel. Returns whether this one is followed.
  bool next(std::uint64_t function) {
    Count& count = counts_[function];
    if (++count.invocations < count.followed_next) return false;
    count.followed_next = count.invocations + gap_after(count.invocations);
    return true;
  }

 private:
  struct Count {
    std::uint64_t invocations = 0;
    std::uint64_t followed_next = 1;
  };

  static std::uint64_t gap_after(std::uint64_t n) {
    return n < kAlways ? 1 : 1 + scrambled(n) % (2 * n / kAlways);
  }
  /// The output function of the generator SplitMix64.
  static std::uint64_t scrambled(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::unordered_map<std::uint64_t, Count> counts_;  // by function
};

}  // namespace apmt::kernels
