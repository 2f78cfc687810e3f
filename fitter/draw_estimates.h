// What is printed of draws: estimates and intervals.
#pragma once

#include "fitter/draw_places.h"
#include "fitter/prediction.h"

namespace apmt {

/// The q quantile of draws; orders them. Between two draws it lies on the line through them; beyond
/// the outermost it is theirs.
double quantile(Draws* draws, double q);

/// The whole is the median of its draws. A part is what it has of the whole in the draws whose
/// whole is near the median: a mean with weights that fall from the middle draw to none at the
/// quartiles, so parts add up to the whole. Every interval is that of the quantity's own draws,
/// widened to hold the estimate.
class DrawEstimates {
 public:
  DrawEstimates(const Draws& whole, double confidence);

  const TimeEstimate& whole() const { return whole_; }
  TimeEstimate part(const Draws& part) const;
  /// The estimate alone.
  double part_s(const Draws& part) const;

 private:
  double confidence_;
  TimeEstimate whole_;
  Draws of_whole_{};  // weight of a draw's time in the estimate
};

}  // namespace apmt
