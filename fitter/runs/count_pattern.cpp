#include "fitter/runs/count_pattern.h"

#include <algorithm>
#include <cmath>

namespace apmt {

bool is_power(int count, int exponent) {
  const double root = std::round(std::pow(count, 1.0 / exponent));
  return std::pow(root, exponent) == count;
}

namespace {

/// The counts of a pattern up to `most`, ascending. `first`: the smallest profiled count.
std::vector<int> counts_of(CountPattern pattern, int first, double most) {
  std::vector<int> counts;
  const auto add = [&](double count) { counts.push_back(static_cast<int>(count)); };
  if (pattern == CountPattern::kDoublings) {
    for (double count = first; count <= most; count *= 2) add(count);
  } else if (pattern == CountPattern::kSmooth) {
    for (double two = 1; two <= most; two *= 2)
      for (double three = two; three <= most; three *= 3)
        for (double five = three; five <= most; five *= 5) add(five);
    std::ranges::sort(counts);
  } else {
    const int exponent = pattern == CountPattern::kCubes ? 3 : 2;
    for (int side = 1; std::pow(side, exponent) <= most; ++side) add(std::pow(side, exponent));
  }
  return counts;
}

}  // namespace

CountPattern pattern_of(const std::vector<int>& profiled) {
  for (const CountPattern pattern :
       {CountPattern::kDoublings, CountPattern::kCubes, CountPattern::kSquares})
    if (std::ranges::includes(counts_of(pattern, profiled.front(), profiled.back()), profiled))
      return pattern;
  return CountPattern::kSmooth;
}

std::vector<int> counts_like_profiled(const std::vector<int>& profiled, int low, int high,
                                      double least_ratio) {
  std::vector<int> counts;
  for (const int count : counts_of(pattern_of(profiled), profiled.front(), high))
    if (count >= low && (counts.empty() || count >= counts.back() * least_ratio - 1e-9))
      counts.push_back(count);
  return counts;
}

}  // namespace apmt
