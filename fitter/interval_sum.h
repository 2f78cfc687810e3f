// Adding times that are known within limits.
#pragma once

#include "fitter/prediction.h"
#include "fitter/time_law_eval.h"

namespace apmt {

/// Times of one program, added. A time's deviation d (from its middle to an end of its interval) is
/// part shared, s, and part its own, with d^2 = s^2 + own^2. Shared is what a new problem size does,
/// and a part of what is left (shared_deviation.h); it adds up, the rest adds in quadrature:
///   D = sqrt((sum s)^2 + sum own^2)
/// which lies between independent times and times that err together, and never exceeds sum d.
class IntervalSum {
 public:
  /// `confidence`: nominal coverage of the intervals. `shared`: of the variance of each deviation,
  /// the part that all times share. Without intervals both ends are the estimate.
  IntervalSum(double confidence, double shared, bool intervals = true);

  /// Adds a time and returns its own estimate.
  TimeEstimate add(const TimeDistribution& time);
  /// Adds a time whose estimate at this confidence is known already.
  void add(const TimeDistribution& time, const TimeEstimate& estimate);
  TimeEstimate total() const;

 private:
  struct Deviation {
    double shared_s = 0;
    double own_squared_s2 = 0;
    void add(double whole_s, double new_size_s, double shared);
    double total_s() const;
  };
  double confidence_;
  double shared_;
  bool intervals_;
  double z_;  // the interval's half width in standard deviations
  double middle_s_ = 0;
  Deviation below_;
  Deviation above_;
};

}  // namespace apmt
