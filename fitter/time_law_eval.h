// What a time law says at a process count and problem size, in every draw.
#pragma once

#include <optional>

#include "fitter/law_frame.h"
#include "fitter/recipe_nodes.h"

namespace apmt {

/// A time law made ready for questions. The law must outlive it.
class TimeLawEvaluator {
 public:
  static constexpr double kRounding = 1e-5;   // closed forms are exact from 1e-6 at the points
  static constexpr double kFarthestLn = 230;  // e^230 seconds: beyond any use, within a double

  explicit TimeLawEvaluator(const TimeLaw& law);

  /// Seconds in every draw. A law that is free of noise: all draws hold one of the closed forms
  /// that go through all points, those of the middle half the likeliest, and of what lies beside it
  /// far ahead, each outer half of a quarter the one that is farthest. `values`: of laws that were
  /// evaluated at the same place before; may be null.
  Draws draws(double procs, double work, const CostFactors& factors, const DrawPlaces& places,
              CurveValues* values = nullptr) const;
  /// exp of the mean of ln T over the nodes of the draws: near the median, and cheap.
  double centre(double procs, double work, const CostFactors& factors = {}) const;
  double cost_ratio(double procs, double work, const CostFactors& factors) const {
    return frame_.cost_ratio(procs, work, factors);
  }
  const TimeLaw& law() const { return frame_.law(); }

 private:
  bool is_zero() const;
  Draws alternatives(double procs, double work, const CostFactors& factors) const;

  LawFrame frame_;
  std::string families_;
  std::optional<RecipeNodes> nodes_;     // of kRecipe
  std::vector<std::size_t> by_stratum_;  // else: the closed form of each stratum
};

}  // namespace apmt
