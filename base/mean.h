// The arithmetic mean, and the deviation from it.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

namespace apmt {

/// 0 if there are no values.
inline double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The standard deviation of one value, estimated from the sample; 0 with fewer than two values.
inline double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double v : values) squares += (v - centre) * (v - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace apmt
