// Adding times that are known within limits.
#pragma once

#include "fitter/prediction.h"
#include "fitter/time_law_eval.h"

namespace apmt {

/// Times of one program, added. A time's deviation d (from its middle to an end of its interval) is
/// part shared, s, and part its own, with d^2 = s^2 + own^2. Shared is what a new problem size does
/// and some of the noise (shared_noise.h); of what else is unknown, its curve, a quarter of that
/// share: noise bends curves, too. What is shared adds up, the rest adds in quadrature:
///   D = sqrt((sum s)^2 + sum own^2)
/// which lies between independent times and times that err together, and never exceeds sum d.
class IntervalSum {
 public:
  static constexpr double kSharedBeyondNoise = 0.25;

  /// `confidence`: nominal coverage of the intervals. `shared_noise`: of the noise's variance, the
  /// part that all times share. Without intervals both ends are the estimate.
  IntervalSum(double confidence, double shared_noise, bool intervals = true);

  /// Adds a time and returns its own estimate.
  TimeEstimate add(const TimeDistribution& time);
  /// Adds a time whose estimate at this confidence is known already.
  void add(const TimeDistribution& time, const TimeEstimate& estimate);
  TimeEstimate total() const;

 private:
  struct Deviation {
    double shared_s = 0;
    double own_squared_s2 = 0;
    void add(double whole_s, double new_size_s, double noise_s, double shared_noise);
    double total_s() const;
  };
  double confidence_;
  double shared_noise_;
  bool intervals_;
  double z_;  // the interval's half width in standard deviations
  double middle_s_ = 0;
  Deviation below_;
  Deviation above_;
};

}  // namespace apmt
