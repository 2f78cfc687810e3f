#include "fitter/times/recipe_curves.h"

#include <algorithm>
#include <cmath>

#include "base/square.h"

namespace apmt {
namespace {

/// ln of u^slope. Beyond the points (l > 0), a slope that is too steep is replaced by the steepest
/// one that is allowed.
double ln_power(double slope, double l) {
  return (l > 0 ? std::max(slope, kSteepestSlope) : slope) * l;
}

/// ln of the second term of a curve. A falling term is a power of the work per process, a rising
/// one a power of the number of processes.
double ln_beside(double exponent, const RecipeTarget& t) {
  return exponent * (exponent < 0 ? t.l : t.l_procs);
}

/// Without the shift. `f`: the share of the second term.
double plain_value(const PlainLaw& law, double f, const RecipeTarget& t) {
  const double first = std::exp(law.exponent * t.l);
  double second = 1;
  switch (law.second) {
    case PlainLaw::Second::kNone:
      return law.exponent * t.l;
    case PlainLaw::Second::kConstant:
      break;
    case PlainLaw::Second::kLog:
      if (t.max_procs > 1) second = std::max(1 + t.l_procs / std::log(t.max_procs), 0.0);
      break;
    case PlainLaw::Second::kPower:
      second = std::exp(ln_beside(law.second_exponent, t));
      break;
    case PlainLaw::Second::kOthers:
      return law.exponent * t.l +
             std::log(std::max(1 - f * std::exp(-t.l_procs) / t.max_procs, 1e-9));
  }
  return std::log((1 - f) * first + f * second);
}

}  // namespace

/// It is no error if all counts are zero: the result is then very low, so the family gets no
/// weight.
double ln_counts(double p, const std::vector<double>& relative) {
  const double sum = relative.size() > 1 ? (1 - p) * relative[0] + p * relative[1] : relative[0];
  return std::log(std::max(sum, 1e-300));
}

double wandered(const Wander& wander, double l1, double l2) {
  if (l1 * l2 <= 0) return 0;
  const auto [near, far] = std::minmax({std::abs(l1), std::abs(l2)});
  return square((l1 > 0 ? wander.ahead : wander.among) * near) * (3 * far - near) / 6;
}

double curve_value(const RecipeCurve& c, const std::vector<PlainLaw>& plain,
                   const RecipeTarget& t) {
  switch (c.family) {
    case RecipeCurve::Family::kPower:
      return t.shift + ln_power(c.a, t.l);
    case RecipeCurve::Family::kTwoTerms:
      return t.shift + std::log((1 - c.a) * std::exp(ln_power(-c.b, t.l)) +
                                c.a * std::exp(ln_beside(c.c, t)));
    case RecipeCurve::Family::kPlain:
      return t.shift + plain_value(plain[c.index], c.a, t);
    case RecipeCurve::Family::kCounts:
      break;
  }
  return ln_counts(c.a, t.counts[c.index]);
}

Wandered wandered_to(double l, const std::vector<RecipePoint>& points, const RecipeNoise& n) {
  const double here = wandered(n.wander, l, l);
  if (n.wander.among == 0 || l >= 0)
    return {.follows = {}, .walk_variance = here, .level_variance = 1 / n.sum_precision};
  // Here l < 0. The walk is normally distributed, given the points' distances from the curve. The
  // level is also uncertain.
  const std::size_t count = points.size();
  Wandered w{.follows = std::vector<double>(count, 0), .walk_variance = here, .level_variance = 0};
  double follows = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j)
      w.follows[i] +=
          wandered(n.wander, l, points[j].l) * (i == j ? n.precision[i] : n.beside[i * count + j]);
    w.walk_variance -= w.follows[i] * wandered(n.wander, l, points[i].l);
    follows += w.follows[i];
  }
  w.level_variance = square(1 - follows) / n.sum_precision;
  return w;
}

}  // namespace apmt
