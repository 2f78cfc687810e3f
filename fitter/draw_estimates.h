// What is printed of draws: estimates and intervals.
#pragma once

#include <vector>

#include "fitter/draw_places.h"
#include "fitter/prediction.h"

namespace apmt {

/// The q quantile of draws; orders them. Between two draws it lies on the line through them; beyond
/// the outermost it is theirs.
double quantile(Draws* draws, double q);

double median(Draws draws);

/// The whole of parts: the sum of their medians, with the interval of what they add up to in each
/// draw. The median of the sums would lie above it wherever parts are skew, and the tails that make
/// them so are what is known least (bench/fitter compares the two). Besides, parts that a what-if
/// does not touch stay.
TimeEstimate estimate_of_whole(const std::vector<const Draws*>& parts, double confidence);

/// A part is the median of its draws. A term of it (a kernel, what memory blocks) is what it has of
/// the part in the draws whose part is near the median: a mean with weights that fall from the
/// middle draw to none at the quartiles, so terms add up to the part. Every interval is that of the
/// quantity's own draws, widened to hold the estimate.
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
