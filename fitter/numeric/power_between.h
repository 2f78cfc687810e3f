// Interpolates a count that is known at two sizes, as a power of the size.
#pragma once

#include <algorithm>
#include <cmath>

namespace apmt {

inline constexpr double kSteepestPower = 3;  // largest power beyond the two sizes

/// The count at any size, from the counts at two sizes: `low` at the first, `high` at the second.
/// Between them it follows the power of the size that passes through both. Beyond them it follows
/// the same power, limited to exponents from 0 to kSteepestPower. If one of the two counts is 0,
/// the result is linear in the logarithm of the size. `ln_ratio` is ln(second size / first size),
/// and `at` is ln(size / first size) / ln_ratio.
inline double power_between(double low, double high, double ln_ratio, double at) {
  if (low <= 0 || high <= 0) return std::max(0.0, low + (high - low) * at);
  double slope = std::log(high / low) / ln_ratio;
  if (at < 0 || at > 1) slope = std::clamp(slope, 0.0, kSteepestPower);
  const double from = at > 1 ? high : low;
  return from * std::exp(slope * ln_ratio * (at > 1 ? at - 1 : at));
}

}  // namespace apmt
