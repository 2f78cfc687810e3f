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
  double kept = 0;
  for (const LogNormalPart& p : parts) {
    if (p.weight < 1e-9 * total) continue;
    parts_.push_back(p);
    kept += p.weight;
  }
  for (LogNormalPart& p : parts_) p.weight /= kept;
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
