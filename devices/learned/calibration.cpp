#include "devices/learned/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apmt::learned {
namespace {

double sigmoid(double z) {
  return z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
}

}  // namespace

double Sigmoid::at(double margin) const { return sigmoid(slope * margin + offset); }

/// Maximises the likelihood with Newton's method. Two things keep the result finite: Platt's
/// targets, which are not exactly 0 and 1, and a weak prior on the slope, which is needed if all
/// margins are equal.
Sigmoid fit_sigmoid(const Row& margins, const std::vector<bool>& is_class) {
  const double positives = static_cast<double>(std::count(is_class.begin(), is_class.end(), true));
  const double negatives = static_cast<double>(is_class.size()) - positives;
  const double high = (positives + 1) / (positives + 2);
  const double low = 1 / (negatives + 2);
  const double share = (positives * high + negatives * low) / (positives + negatives);
  const Sigmoid flat{0, rounded(std::log(share / (1 - share)))};
  constexpr double kPrior = 1e-3;
  Sigmoid s = flat;
  for (int step = 0; step < 50; ++step) {
    double g_slope = -kPrior * s.slope;
    double g_offset = 0;
    double h_slope = kPrior;
    double h_both = 0;
    double h_offset = 1e-9;
    for (std::size_t i = 0; i < margins.size(); ++i) {
      const double p = s.at(margins[i]);
      const double miss = (is_class[i] ? high : low) - p;
      const double spread = p * (1 - p);
      g_slope += miss * margins[i];
      g_offset += miss;
      h_slope += spread * margins[i] * margins[i];
      h_both += spread * margins[i];
      h_offset += spread;
    }
    const double determinant = h_slope * h_offset - h_both * h_both;
    if (!(determinant > 1e-12)) return flat;
    const double by_slope = (h_offset * g_slope - h_both * g_offset) / determinant;
    const double by_offset = (h_slope * g_offset - h_both * g_slope) / determinant;
    const double damping = std::min(1.0, 5 / (std::abs(by_slope) + std::abs(by_offset) + 1e-12));
    s.slope += damping * by_slope;
    s.offset += damping * by_offset;
    if (std::abs(by_slope) + std::abs(by_offset) < 1e-9) break;
  }
  // Values below this are rounding errors, which differ between machines.
  constexpr double kLeast = 1e-6;
  if (!(s.slope > kLeast) || !std::isfinite(s.offset)) return flat;
  return {rounded(s.slope), std::abs(s.offset) > kLeast ? rounded(s.offset) : 0};
}

Row probabilities(const Row& margins, const std::vector<Sigmoid>& calibration) {
  if (margins.size() == 2) {
    const double p = calibration[1].at(margins[1]);
    return {1 - p, p};
  }
  Row p;
  for (std::size_t c = 0; c < margins.size(); ++c) p.push_back(calibration[c].at(margins[c]));
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& each : p) each /= sum;
  return p;
}

Interval binomial_interval(double share, double count) {
  constexpr double kZ = 1.959963984540054;
  const double z2 = kZ * kZ / count;
  const double middle = (share + z2 / 2) / (1 + z2);
  const double half = kZ / (1 + z2) * std::sqrt(share * (1 - share) / count + z2 / (4 * count));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::vector<CalibrationBin> calibration_of(const Row& predicted,
                                           const std::vector<bool>& happened) {
  constexpr std::size_t kBins = 5;
  std::vector<CalibrationBin> bins(kBins);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    CalibrationBin& bin = bins[std::min(kBins - 1, static_cast<std::size_t>(predicted[i] * kBins))];
    ++bin.count;
    bin.predicted += predicted[i];
    bin.observed += happened[i];
  }
  std::erase_if(bins, [](const CalibrationBin& bin) { return bin.count == 0; });
  for (CalibrationBin& bin : bins) {
    bin.predicted /= bin.count;
    bin.observed /= bin.count;
  }
  return bins;
}

}  // namespace apmt::learned
