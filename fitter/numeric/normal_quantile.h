// Quantiles of the standard normal distribution.
#pragma once

#include <cmath>

namespace apmt {

/// The quantile for 0 < q < 1, accurate to 1e-10, by Newton's method. From the centre outwards the
/// distribution function is bent such that no step goes too far.
inline double standard_normal_quantile(double q) {
  constexpr double kRootTwoPi = 2.5066282746310002;
  double x = 0;
  for (int i = 0; i < 200; ++i) {
    const double density = std::exp(-0.5 * x * x) / kRootTwoPi;
    const double step = (q - 0.5 * std::erfc(-x * M_SQRT1_2)) / density;
    if (std::abs(step) < 1e-11) break;
    x += step;
  }
  return x;
}

}  // namespace apmt
