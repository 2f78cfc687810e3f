#include "fitter/interval_sum.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

double square(double x) { return x * x; }

/// How far a deviation in ln T of so many standard deviations takes a time, below or above.
double below(double time_s, double ln) { return time_s * -std::expm1(-std::min(ln, 700.0)); }
double above(double time_s, double ln) { return time_s * std::expm1(std::min(ln, 700.0)); }

}  // namespace

void IntervalSum::Deviation::add(double whole_s, double new_size_s, double noise_s,
                                 double shared_noise) {
  const double beside_size = whole_s * whole_s - square(std::min(new_size_s, whole_s));
  const double noise = std::min(noise_s * noise_s, beside_size);
  const double own =
      beside_size - shared_noise * (noise + kSharedBeyondNoise * (beside_size - noise));
  shared_s += std::sqrt(whole_s * whole_s - own);
  own_squared_s2 += own;
}

double IntervalSum::Deviation::total_s() const {
  return std::sqrt(shared_s * shared_s + own_squared_s2);
}

IntervalSum::IntervalSum(double confidence, double shared_noise, bool intervals)
    : confidence_(confidence),
      shared_noise_(shared_noise),
      intervals_(intervals),
      z_(standard_normal_quantile(0.5 + 0.5 * confidence)) {}

TimeEstimate IntervalSum::add(const TimeDistribution& time) {
  TimeEstimate e;
  e.time_s = e.low_s = e.high_s = time.quantile(0.5);
  if (intervals_) {
    e.low_s = std::min(e.time_s, time.quantile(0.5 - 0.5 * confidence_));
    e.high_s = std::max(e.time_s, time.quantile(0.5 + 0.5 * confidence_));
  }
  add(time, e);
  return e;
}

void IntervalSum::add(const TimeDistribution& time, const TimeEstimate& e) {
  if (e.time_s <= 0) return;
  middle_s_ += e.time_s;
  if (!intervals_) return;
  const double size = z_ * time.new_size_sd();
  const double noise = z_ * time.noise_sd();
  below_.add(e.time_s - e.low_s, below(e.time_s, size), below(e.time_s, noise), shared_noise_);
  above_.add(e.high_s - e.time_s, above(e.time_s, size), above(e.time_s, noise), shared_noise_);
}

TimeEstimate IntervalSum::total() const {
  TimeEstimate e;
  e.time_s = middle_s_;
  e.low_s = std::max(middle_s_ - below_.total_s(), 0.0);
  e.high_s = middle_s_ + above_.total_s();
  return e;
}

}  // namespace apmt
