// The time of a law at a process count and problem size, in every draw.
#pragma once

#include <optional>

#include "fitter/times/law_frame.h"
#include "fitter/times/recipe_nodes.h"

namespace apmt {

/// A time law prepared for many predictions. The law must outlive it.
class TimeLawEvaluator {
 public:
  static constexpr double kRounding = 1e-5;   // relative spread of exact laws; they fit to 1e-6
  static constexpr double kFarthestLn = 230;  // e^230 seconds: beyond any use, fits a double

  explicit TimeLawEvaluator(const TimeLaw& law);

  /// Seconds in every draw. In a law without noise, each draw has one of the forms (closed, or
  /// costs times counts) that pass through all points. The middle half of the draws has the
  /// likeliest form. One outer quarter has forms with smaller times far beyond the points, the
  /// other quarter forms with larger times. The outer half of each of these quarters has the form
  /// that is farthest from the likeliest. `values` keeps values of curves for other laws that are
  /// evaluated at the same target; may be null.
  Draws draws(double procs, double work, const CostFactors& factors, const DrawPlaces& places,
              CurveValues* values = nullptr) const;
  /// A central time in seconds: exp of the mean of ln T over the draws, without noise. It is close
  /// to the median of the draws, and quicker to calculate. For a law without noise, it is the time
  /// of the likeliest form.
  double centre(double procs, double work, const CostFactors& factors = {}) const;
  const TimeLaw& law() const { return frame_.law(); }

 private:
  bool is_zero() const;
  Draws alternatives(double procs, double work, const CostFactors& factors) const;

  LawFrame frame_;
  std::optional<RecipeNodes> nodes_;     // only for kRecipe
  std::vector<std::size_t> by_stratum_;  // otherwise: the closed form for each stratum
};

}  // namespace apmt
