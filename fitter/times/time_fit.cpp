#include "fitter/times/time_fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fitter/laws/count_fit.h"
#include "fitter/numeric/small_least_squares.h"
#include "fitter/times/law_frame.h"

namespace apmt {
namespace {

/// Whether the family can explain times above zero: at every point some count is above zero, at the
/// largest process count all are.
bool can_explain(const CountFamily& family, const std::vector<FitPoint>& points) {
  for (const FitPoint& p : points) {
    double sum = 0;
    for (const Feature& f : family.features) {
      const double count = f.per_rank(p.procs, p.work);
      if (!std::isfinite(count)) return false;
      sum += count;
    }
    if (sum <= 0) return false;
  }
  const FitPoint& reference =
      *std::max_element(points.begin(), points.end(),
                        [](const FitPoint& a, const FitPoint& b) { return a.procs < b.procs; });
  return std::all_of(family.features.begin(), family.features.end(), [&](const Feature& f) {
    return f.per_rank(reference.procs, reference.work) > 0;
  });
}

/// The number of distinct pairs of P and D; points that differ only in layout count once.
std::size_t places(const std::vector<FitPoint>& points) {
  std::set<std::pair<double, double>> places;
  for (const FitPoint& p : points) places.insert({p.procs, p.work});
  return places.size();
}

/// Sets costs (not negative) that reproduce every point to 1e-6. Returns false if there are none,
/// or if there are not more distinct pairs of P and D than costs.
bool fit_costs_exactly(CountFamily* family, const std::vector<FitPoint>& points) {
  if (places(points) <= family->features.size()) return false;
  std::vector<std::vector<double>> columns;
  for (const Feature& f : family->features) {
    columns.emplace_back();
    for (std::size_t i = 0; i < points.size(); ++i)
      columns.back().push_back(f.at_point(i, points[i].procs, points[i].work) / points[i].value);
  }
  const std::vector<double> costs =
      solve_non_negative(columns, std::vector<double>(points.size(), 1));
  for (std::size_t i = 0; i < points.size(); ++i) {
    double relative = 0;
    for (std::size_t j = 0; j < costs.size(); ++j) relative += costs[j] * columns[j][i];
    if (std::abs(relative - 1) > 1e-6) return false;
  }
  for (std::size_t j = 0; j < costs.size(); ++j) family->features[j].cost = costs[j];
  family->posterior = family->prior;
  return true;
}

/// Whether sampling and repetitions leave no uncertainty; only then is a closed form accepted as
/// exact. Otherwise, for example, eight, four and two samples would follow 1/P exactly, which
/// proves nothing.
bool is_free_of_noise(const std::vector<FitPoint>& points) {
  return std::all_of(points.begin(), points.end(), [](const FitPoint& p) {
    return p.rel_sampling <= 1e-3 && p.rel_sigma <= 1e-6;
  });
}

/// Whether a time occurs at two process counts for the same work (but not at all points). Among
/// totals that were published with few digits, the same value often occurs twice; many laws then
/// pass through all points.
bool repeats_a_value(const std::vector<FitPoint>& points) {
  bool repeats = false;
  bool varies = false;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = points[i].value == points[j].value;
      varies = varies || !same;
      repeats = repeats ||
                (same && points[i].procs != points[j].procs && points[i].work == points[j].work);
    }
  return repeats && varies;
}

}  // namespace

void write_costs(TimeLaw* law) {
  if (law->families.empty() && !law->split) return;
  const RecipePosterior posterior = LawFrame(*law).posterior();
  if (law->split)
    law->split->posterior =
        law->split->prior > 0 ? posterior.count_posterior(law->families.size()) : 0;
  const FitPoint& reference =
      *std::max_element(law->points.begin(), law->points.end(),
                        [](const FitPoint& a, const FitPoint& b) { return a.procs < b.procs; });
  for (std::size_t i = 0; i < law->families.size(); ++i) {
    CountFamily& family = law->families[i];
    family.posterior = posterior.count_posterior(i);
    const double p = posterior.count_share(i);
    for (std::size_t j = 0; j < family.features.size(); ++j) {
      const double count = family.features[j].per_rank(reference.procs, reference.work);
      const double share = family.features.size() == 1 ? 1 : j == 0 ? 1 - p : p;
      family.features[j].cost = count > 0 ? share * std::exp(posterior.ln_level()) / count : 0;
    }
  }
}

TimeLaw fit_time(std::vector<FitPoint> points, const LawCatalog& catalog, TimeFitOptions options) {
  TimeLaw law;
  law.prior = options.prior;
  law.size_rule = options.size_rule;
  law.linear_exponent = options.linear_exponent;
  law.points = points;
  double smallest = INFINITY;
  for (const FitPoint& p : points)
    if (p.value > 0) smallest = std::min(smallest, p.value);
  if (std::isinf(smallest)) return law;  // kZero
  const bool may_be_exact = options.may_be_exact && is_free_of_noise(points) &&
                            !(options.prior == "total" && repeats_a_value(points));
  if (may_be_exact) law.exact = fit_count(points, catalog, CountKind::kReal);
  if (!law.exact.is_exact()) law.exact = {};
  // Counts have priority: if they explain the time exactly, the law consists of unit costs. Closed
  // forms in P that also pass through all points remain in law.exact as less likely alternatives.
  const bool all_positive =
      std::all_of(points.begin(), points.end(), [](const FitPoint& p) { return p.value > 0; });
  if (all_positive && may_be_exact)
    for (CountFamily& family : options.families)
      if (can_explain(family, points) && fit_costs_exactly(&family, points))
        law.families.push_back(family);
  if (!law.families.empty()) {
    law.kind = TimeLaw::Kind::kUnitCosts;
    std::stable_sort(law.families.begin(), law.families.end(),
                     [](const CountFamily& a, const CountFamily& b) { return a.prior > b.prior; });
    return law;
  }
  if (law.exact.is_exact()) {
    law.kind = TimeLaw::Kind::kExact;
    return law;
  }
  law.kind = TimeLaw::Kind::kRecipe;
  for (FitPoint& p : law.points)
    if (p.value <= 0) {
      p.value = 0.5 * smallest;
      p.rel_sampling = 1;
    }
  std::erase_if(options.families,
                [&](const CountFamily& f) { return !can_explain(f, law.points); });
  double total = 0;
  for (const CountFamily& f : options.families) total += f.prior;
  for (CountFamily& f : options.families) f.prior /= total;
  law.families = std::move(options.families);
  write_costs(&law);
  return law;
}

}  // namespace apmt
