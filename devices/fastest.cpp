#include "devices/fastest.h"

#include <cmath>

namespace apmt::devices {
namespace {

constexpr double kQuartile = 0.674489750196082;  // of the standard normal distribution
constexpr double kSqrtHalf = 0.707106781186548;

/// Steps of the integral over the standard normal distribution, which is negligible beyond kEnd.
constexpr double kEnd = 8;
constexpr int kSteps = 640;

}  // namespace

double scatter_of_quartiles(double low_s, double high_s) {
  return std::log(high_s / low_s) / (2 * kQuartile);
}

std::vector<double> shortest_probabilities(const std::vector<UncertainTime>& times) {
  std::vector<double> probabilities(times.size());
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (int step = 0; step < kSteps; ++step) {
      const double z = kEnd * (2 * (step + 0.5) / kSteps - 1);
      // The probability density of this deviation z of time i, times the probability that all other
      // times are longer.
      double density = std::exp(-z * z / 2);
      for (std::size_t j = 0; j < times.size(); ++j) {
        if (j == i) continue;
        const double ln_ratio =
            std::log(times[i].median_s / times[j].median_s) + times[i].scatter * z;
        density *= std::erfc(kSqrtHalf * ln_ratio / times[j].scatter) / 2;
      }
      probabilities[i] += density;
    }
    sum += probabilities[i];
  }
  for (double& probability : probabilities) probability /= sum;
  return probabilities;
}

}  // namespace apmt::devices
