#include "fitter/log_mixture.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

double normal_cdf(double z) { return 0.5 * std::erfc(-z * M_SQRT1_2); }

}  // namespace

LogMixture::LogMixture(std::vector<LogNormalPart> parts) {
  double total = 0;
  for (const LogNormalPart& p : parts) total += p.weight;
  std::sort(parts.begin(), parts.end(), [](const LogNormalPart& a, const LogNormalPart& b) {
    return a.sd != b.sd ? a.sd < b.sd : a.mean != b.mean ? a.mean < b.mean : a.weight < b.weight;
  });
  for (std::size_t i = 0; i < parts.size();) {
    const LogNormalPart& first = parts[i];
    LogNormalPart merged{0, 0, first.sd};
    double second_moment = 0;  // about the first mean
    for (; i < parts.size() && parts[i].sd == first.sd && parts[i].mean - first.mean <= first.sd / 25;
         ++i) {
      const double d = parts[i].mean - first.mean;
      merged.weight += parts[i].weight;
      merged.mean += parts[i].weight * d;
      second_moment += parts[i].weight * d * d;
    }
    if (merged.weight <= 0) continue;
    const double d = merged.mean / merged.weight;
    merged.mean = first.mean + d;
    merged.sd = std::sqrt(first.sd * first.sd +
                          std::max(second_moment / merged.weight - d * d, 0.0));
    merged.weight /= total;
    parts_.push_back(merged);
  }
}

double LogMixture::mean() const {
  double sum = 0;
  for (const LogNormalPart& p : parts_) sum += p.weight * p.mean;
  return sum;
}

double LogMixture::cdf(double ln_t) const {
  double sum = 0;
  for (const LogNormalPart& p : parts_) {
    const double z = (ln_t - p.mean) / p.sd;
    if (z > 8) sum += p.weight;
    else if (z > -8) sum += p.weight * normal_cdf(z);
  }
  return sum;
}

double LogMixture::ln_quantile(double q) const {
  // The quantile lies between the smallest and the largest of the parts' own; Newton inside a
  // bracket that bisection guarantees.
  double low = INFINITY;
  double high = -INFINITY;
  for (const LogNormalPart& p : parts_) {
    low = std::min(low, p.mean - 9 * p.sd);
    high = std::max(high, p.mean + 9 * p.sd);
  }
  double x = 0;
  for (const LogNormalPart& p : parts_) x += p.weight * p.mean;
  for (int i = 0; i < 200 && high - low > 1e-11; ++i) {
    double cdf_x = 0;
    double density = 0;
    for (const LogNormalPart& p : parts_) {
      const double z = (x - p.mean) / p.sd;
      if (z > 8) {
        cdf_x += p.weight;
      } else if (z > -8) {
        cdf_x += p.weight * normal_cdf(z);
        density += p.weight * std::exp(-0.5 * z * z) / (p.sd * 2.5066282746310002);
      }
    }
    (cdf_x < q ? low : high) = x;
    const double step = density > 0 ? (q - cdf_x) / density : INFINITY;
    const double next = x + step;
    if (std::abs(step) < 1e-11) break;
    x = next > low && next < high ? next : 0.5 * (low + high);
  }
  return x;
}

}  // namespace apmt
