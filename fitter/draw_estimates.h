// Estimates and intervals, computed from draws.
#pragma once

#include <vector>

#include "fitter/draw_places.h"
#include "fitter/prediction.h"

namespace apmt {

/// The q quantile of draws; changes their order. Between two draws it is interpolated; beyond the
/// outermost draw it is that draw.
double quantile(Draws* draws, double q);

double median(Draws draws);

/// The whole of several parts: the sum of their medians, with the interval of their sums in each
/// draw. The median of the sums would be higher if the parts are skewed, and depends on their
/// tails, which are known least (bench/fitter compares the two). Besides, parts that a what-if does
/// not affect then keep their time.
TimeEstimate estimate_of_whole(const std::vector<const Draws*>& parts, double confidence);

/// The estimate of a part is the median of its draws. The estimate of a term of it (a kernel, or
/// time blocked by memory) is its mean in the draws whose part is near the median: the weights fall
/// from the middle draw to zero at the quartiles, so the terms add up to the part. Every interval
/// is that of the quantity's own draws, widened to contain the estimate.
class DrawEstimates {
 public:
  DrawEstimates(const Draws& part, double confidence);

  const TimeEstimate& part() const { return part_; }
  TimeEstimate term(const Draws& term) const;
  /// The estimate alone.
  double term_s(const Draws& term) const;

 private:
  double confidence_;
  TimeEstimate part_;
  Draws of_part_{};  // weight of a draw's time in the estimate
};

}  // namespace apmt
