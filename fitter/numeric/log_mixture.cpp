#include "fitter/numeric/log_mixture.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

double normal_cdf(double z) { return 0.5 * std::erfc(-z * M_SQRT1_2); }

}  // namespace

PartGrid::PartGrid(double sd, double lowest_mean, double highest_mean)
    : sd_(sd), lowest_(lowest_mean) {
  const double range = highest_mean - lowest_mean;
  const double cells = std::min(range / sd * kCellsPerSd, kMostCells);
  width_ = cells >= 1 ? range / cells : std::max(range, 1e-300);
  cells_.resize(static_cast<std::size_t>(cells) + 2);
}

void PartGrid::add(double weight, double mean) {
  const double at = (mean - lowest_) / width_;
  Cell& cell = cells_[static_cast<std::size_t>(at)];
  const double d = mean - lowest_ - width_ * std::floor(at);
  cell.weight += weight;
  cell.first += weight * d;
  cell.second += weight * d * d;
}

void PartGrid::append_to(std::vector<LogNormalPart>* parts) const {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    if (cell.weight <= 0) continue;
    const double d = cell.first / cell.weight;
    const double variance = std::max(cell.second / cell.weight - d * d, 0.0);
    parts->push_back({cell.weight, lowest_ + width_ * static_cast<double>(i) + d,
                      std::sqrt(sd_ * sd_ + variance)});
  }
}

LogMixture::LogMixture(std::vector<LogNormalPart> parts) : parts_(std::move(parts)) {
  double total = 0;
  for (const LogNormalPart& p : parts_) total += p.weight;
  for (LogNormalPart& p : parts_) p.weight /= total;
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
    if (z > 8)
      sum += p.weight;
    else if (z > -8)
      sum += p.weight * normal_cdf(z);
  }
  return sum;
}

double LogMixture::ln_quantile(double q) const {
  // The quantile lies between the smallest and the largest quantile of the parts. Newton's method
  // searches this bracket; bisection guarantees that it converges.
  double low = INFINITY;
  double high = -INFINITY;
  for (const LogNormalPart& p : parts_) {
    low = std::min(low, p.mean - 9 * p.sd);
    high = std::max(high, p.mean + 9 * p.sd);
  }
  double x = mean();
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

double standard_normal_quantile(double q) { return LogMixture({{1, 0, 1}}).ln_quantile(q); }

}  // namespace apmt
