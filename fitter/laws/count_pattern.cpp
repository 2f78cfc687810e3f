#include "fitter/laws/count_pattern.h"

#include <algorithm>
#include <cmath>

namespace apmt {

bool is_power(int count, int exponent) {
  const double root = std::round(std::pow(count, 1.0 / exponent));
  return std::pow(root, exponent) == count;
}

namespace {

bool is_doubling_of(int count, int first) {
  while (count > first && count % 2 == 0) count /= 2;
  return count == first;
}

bool is_smooth(int count) {
  for (const int prime : {2, 3, 5})
    while (count % prime == 0) count /= prime;
  return count == 1;
}

bool is_of_pattern(int count, CountPattern pattern, int first) {
  if (pattern == CountPattern::kDoublings) return is_doubling_of(count, first);
  if (pattern == CountPattern::kSmooth) return is_smooth(count);
  return is_power(count, pattern == CountPattern::kCubes ? 3 : 2);
}

/// The next larger count of the same pattern. Powers are calculated directly, because trying every
/// count up to millions of processes would take too long.
double next_of_pattern(double count, CountPattern pattern, int first) {
  if (pattern == CountPattern::kDoublings)
    return first * std::exp2(std::floor(std::log2(count / first) + 1e-9) + 1);
  if (pattern == CountPattern::kSmooth) {
    do ++count;
    while (!is_smooth(static_cast<int>(count)));
    return count;
  }
  const double exponent = pattern == CountPattern::kCubes ? 3 : 2;
  return std::pow(std::floor(std::pow(count, 1 / exponent) + 1e-9) + 1, exponent);
}

}  // namespace

CountPattern pattern_of(const std::vector<int>& profiled) {
  for (const CountPattern pattern :
       {CountPattern::kDoublings, CountPattern::kCubes, CountPattern::kSquares}) {
    const auto has_it = [&](int count) { return is_of_pattern(count, pattern, profiled.front()); };
    if (std::ranges::all_of(profiled, has_it)) return pattern;
  }
  return CountPattern::kSmooth;
}

std::vector<int> counts_like_profiled(const std::vector<int>& profiled, int low, int high,
                                      double least_ratio) {
  std::vector<int> counts;
  if (profiled.empty() || low < 1) return counts;
  const CountPattern pattern = pattern_of(profiled);
  const int first = profiled.front();
  double count = pattern == CountPattern::kDoublings ? std::max(low, first) : low;
  if (!is_of_pattern(static_cast<int>(count), pattern, first))
    count = next_of_pattern(count, pattern, first);
  while (count <= high) {
    counts.push_back(static_cast<int>(count));
    const double least = std::ceil(count * least_ratio - 1e-9);
    count = next_of_pattern(std::max(count, least - 1), pattern, first);
  }
  return counts;
}

}  // namespace apmt
