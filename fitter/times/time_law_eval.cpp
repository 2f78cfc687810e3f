#include "fitter/times/time_law_eval.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

/// Chooses a closed form for each stratum of the draws (draw_places.h). `far_ahead[i]` is the time
/// that form i predicts far beyond the measured points; form 0 is the likeliest.
std::vector<std::size_t> forms_by_stratum(const std::vector<double>& far_ahead) {
  constexpr std::size_t kQuarter = kDraws / 4;
  constexpr std::size_t kOutermost = kQuarter / 2;
  std::vector<std::size_t> forms(kDraws, 0);
  for (const bool is_below : {true, false}) {
    std::vector<std::size_t> farthest_first;
    for (std::size_t i = 1; i < far_ahead.size(); ++i)
      if ((far_ahead[i] < far_ahead[0]) == is_below) farthest_first.push_back(i);
    if (farthest_first.empty()) continue;
    std::ranges::stable_sort(farthest_first, {}, [&](std::size_t i) { return far_ahead[i]; });
    if (!is_below) std::ranges::reverse(farthest_first);
    // The outermost strata get the form whose time is farthest from that of the likeliest form. The
    // strata further inwards are divided equally among the other forms of that side.
    const std::size_t others = farthest_first.size() - 1;
    for (std::size_t i = 0; i < kQuarter; ++i)
      forms[is_below ? i : kDraws - 1 - i] =
          others == 0 || i < kOutermost
              ? farthest_first[0]
              : farthest_first[1 + (i - kOutermost) * others / (kQuarter - kOutermost)];
  }
  return forms;
}

}  // namespace

TimeLawEvaluator::TimeLawEvaluator(const TimeLaw& law) : frame_(law) {
  if (is_zero()) return;
  const double procs = RecipeNodes::kFarAhead * frame_.max_procs();
  const double work = frame_.reference_work();
  if (law.kind == TimeLaw::Kind::kRecipe)
    nodes_.emplace(frame_.posterior(), frame_.target(procs, work, {}));
  else
    by_stratum_ = forms_by_stratum(frame_.alternatives(procs, work, {}));
}

bool TimeLawEvaluator::is_zero() const {
  return law().kind == TimeLaw::Kind::kZero || law().points.empty();
}

Draws TimeLawEvaluator::alternatives(double procs, double work, const CostFactors& factors) const {
  const std::vector<double> times = frame_.alternatives(procs, work, factors);
  Draws draws;
  for (std::size_t k = 0; k < kDraws; ++k) {
    const std::size_t stratum = common_curve()[k];
    const double rounding = stratum < kDraws / 4            ? -kRounding
                            : stratum < kDraws - kDraws / 4 ? 0
                                                            : kRounding;
    draws[k] = factors.whole * times[by_stratum_[stratum]] * (1 + rounding);
  }
  return draws;
}

Draws TimeLawEvaluator::draws(double procs, double work, const CostFactors& factors,
                              const DrawPlaces& places, CurveValues* values) const {
  if (is_zero()) return {};
  if (!nodes_) return alternatives(procs, work, factors);
  Draws draws = nodes_->draw(frame_.target(procs, work, factors), places, values);
  for (double& t : draws) t = factors.whole * std::exp(std::clamp(t, -kFarthestLn, kFarthestLn));
  return draws;
}

double TimeLawEvaluator::centre(double procs, double work, const CostFactors& factors) const {
  if (is_zero()) return 0;
  if (!nodes_) return factors.whole * frame_.alternatives(procs, work, factors).front();
  return factors.whole * std::exp(std::clamp(nodes_->mean_at(frame_.target(procs, work, factors)),
                                             -kFarthestLn, kFarthestLn));
}

}  // namespace apmt
