#include "fitter/interval_sum.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

double standard_normal_quantile(double q) { return LogMixture({{1, 0, 1}}).ln_quantile(q); }

}  // namespace

void IntervalSum::Deviation::add(double whole_s, double new_size_s, double shared) {
  const double n = std::min(new_size_s, whole_s);
  const double own = (1 - shared) * (whole_s * whole_s - n * n);
  shared_s += std::sqrt(whole_s * whole_s - own);
  own_squared_s2 += own;
}

double IntervalSum::Deviation::total_s() const {
  return std::sqrt(shared_s * shared_s + own_squared_s2);
}

IntervalSum::IntervalSum(double confidence, double shared, bool intervals)
    : confidence_(confidence),
      shared_(shared),
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
  const double ln = std::min(z_ * time.new_size_sd(), 700.0);
  below_.add(e.time_s - e.low_s, e.time_s * -std::expm1(-ln), shared_);
  above_.add(e.high_s - e.time_s, e.time_s * std::expm1(ln), shared_);
}

TimeEstimate IntervalSum::total() const {
  TimeEstimate e;
  e.time_s = middle_s_;
  e.low_s = std::max(middle_s_ - below_.total_s(), 0.0);
  e.high_s = middle_s_ + above_.total_s();
  return e;
}

}  // namespace apmt
