// The noise of simulated histories.
#pragma once

#include <cmath>
#include <random>

namespace apmt {

/// Nearly normal numbers: sums of twelve uniform ones. They are the same with every standard
/// library, unlike those of std::normal_distribution.
class Noise {
 public:
  explicit Noise(unsigned seed) : bits_(seed) {}
  double next() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(bits_()) / 4294967296.0;
    return sum;
  }
  /// A factor around 1 with 3 % of noise.
  double factor() { return std::exp(0.03 * next()); }

 private:
  std::mt19937 bits_;
};

}  // namespace apmt
