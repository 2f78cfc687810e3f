// Interpolates a count that is known at two sizes, as a power of the size.
#pragma once

#include <algorithm>
#include <cmath>

namespace apmt {

inline constexpr double kSteepestPower = 3;  // most that a count grows beyond the two sizes

/// The count at a size between two other sizes, at which the count is `low` and `high`. It is
/// interpolated as a power of the size. `ln_ratio` is ln(second size / first size), and `at` is
/// ln(size / first size) / ln_ratio. Beyond the two sizes, a count does not fall with the size, nor
/// does it grow faster than the steepest power.
inline double power_between(double low, double high, double ln_ratio, double at) {
  if (low <= 0 || high <= 0) return std::max(0.0, low + (high - low) * at);
  double slope = std::log(high / low) / ln_ratio;
  if (at < 0 || at > 1) slope = std::clamp(slope, 0.0, kSteepestPower);
  const double from = at > 1 ? high : low;
  return from * std::exp(slope * ln_ratio * (at > 1 ? at - 1 : at));
}

}  // namespace apmt
