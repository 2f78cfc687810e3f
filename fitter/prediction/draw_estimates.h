// Estimates and intervals, computed from draws.
#pragma once

#include <vector>

#include "fitter/prediction/prediction.h"
#include "fitter/times/draw_places.h"

namespace apmt {

/// The q quantile of the draws, interpolated between neighbouring draws; beyond the outermost draw,
/// the value of that draw. Changes the order of *draws.
double quantile(Draws* draws, double q);

double median(Draws draws);

/// `value` with an interval: from the lower quantile of `low_draws` to the upper quantile of
/// `high_draws`, widened if necessary to contain `value`.
TimeEstimate with_interval(double value, Draws low_draws, Draws high_draws, double confidence);

/// The estimate of a time that consists of several parts: the sum of the parts' medians. Its
/// interval is that of the sums of the parts in each draw. The median of these sums is not used,
/// for two reasons. If the parts are skewed, this median is higher and depends on their tails,
/// which are known least (bench/fitter compares the two estimates). And with a sum of medians,
/// parts that a what-if does not affect keep their time.
TimeEstimate estimate_of_whole(const std::vector<const Draws*>& parts, double confidence);

/// The estimate of a part is the median of its draws. A part consists of terms, such as kernels, or
/// the time blocked by memory. The estimate of a term is its mean share of the part, times this
/// median. The mean is taken over the draws in which the part is near its median: their weights
/// fall from the middle draw to zero at the quartiles. So the terms add up to the part. The
/// interval of each quantity is that of its own draws, widened to contain the estimate.
class DrawEstimates {
 public:
  DrawEstimates(const Draws& part, double confidence);

  const TimeEstimate& part() const { return part_; }
  TimeEstimate term(const Draws& term) const;
  /// The estimated time of a term, without its interval.
  double term_s(const Draws& term) const;

 private:
  double confidence_;
  TimeEstimate part_;
  Draws of_part_{};  // weight of each draw in a term's estimate
};

}  // namespace apmt
