#include "fitter/times/time_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "base/square.h"
#include "fitter/laws/count_fit.h"
#include "fitter/mechanisms.h"
#include "fitter/numeric/small_least_squares.h"
#include "fitter/times/law_frame.h"

namespace apmt {
namespace {

constexpr double kKernels = 1;           // weight of the prior, in kernels
constexpr std::size_t kShareNodes = 40;  // grid over the share of kernels with plain laws
constexpr double kLeast = 1e-9;          // posterior shares are kept this far from 0 and 1

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
  const FitPoint& reference = largest_point(points);
  return std::ranges::all_of(family.features, [&](const Feature& f) {
    return f.per_rank(reference.procs, reference.work) > 0;
  });
}

/// Sets costs (not negative) that reproduce every point to 1e-6. Returns false if there are none,
/// or if there are not more distinct pairs of P and D than costs.
bool fit_costs_exactly(CountFamily* family, const std::vector<FitPoint>& points) {
  if (distinct_places(points) <= family->features.size()) return false;
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
bool are_free_of_noise(const std::vector<FitPoint>& points) {
  return std::ranges::all_of(
      points, [](const FitPoint& p) { return is_free_of_noise(p.rel_sigma, p.rel_sampling); });
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

struct SizeExponent {
  double value = 0;
  double sd = 0;
  bool is_measured = false;
};

/// The exponent of D in times that are D^exponent times a law in P. Points with the same P and
/// different D show it. If no P has several D, as in weak scaling, only the expected exponent is
/// known.
SizeExponent size_exponent(const std::vector<FitPoint>& points, double expected) {
  constexpr double kExpectedSd = 0.5;
  constexpr double kLeastScatter = 0.05;  // of ln T
  struct Sums {
    double n = 0, d = 0, t = 0, dd = 0, dt = 0, tt = 0;
  };
  std::map<double, Sums> by_procs;
  double count = 0;
  for (const FitPoint& p : points) {
    if (p.value <= 0 || p.rel_sampling >= 1) continue;  // a time of which nothing is known
    Sums& s = by_procs[p.procs];
    const double d = std::log(p.work), t = std::log(p.value);
    s = {s.n + 1, s.d + d, s.t + t, s.dd + d * d, s.dt + d * t, s.tt + t * t};
    ++count;
  }
  double dd = 0, dt = 0, tt = 0;  // about the means at each P
  for (const auto& [procs, s] : by_procs) {
    dd += s.dd - s.d * s.d / s.n;
    dt += s.dt - s.d * s.t / s.n;
    tt += s.tt - s.t * s.t / s.n;
  }
  if (dd < 1e-6) return {expected, differ(points, &FitPoint::work) ? kExpectedSd : 0, false};
  const double freedom = std::max(count - static_cast<double>(by_procs.size()) - 1, 1.0);
  const double variance = std::max((tt - dt * dt / dd) / freedom, square(kLeastScatter));
  const double precision = dd / variance, before = 1 / square(kExpectedSd);
  return {(dt / variance + before * expected) / (precision + before),
          1 / std::sqrt(precision + before), true};
}

/// The share of kernels that usually follow plain laws.
double usual_share() { return recipe_priors("leaf", false).plain_weight; }

/// The likelihood of plain laws for the points of a kernel, relative to that of curves.
double odds_for_plain(const TimeLaw& law) {
  const double share = std::clamp(LawFrame(law).posterior().plain_posterior(), kLeast, 1 - kLeast);
  const double usual = usual_share();
  return share / (1 - share) * (1 - usual) / usual;
}

/// For each kernel: the expected share of kernels that follow plain laws, given the odds of all
/// other kernels. Its prior is Beta(u kKernels, (1 - u) kKernels), where u is usual_share().
std::vector<double> expected_shares(const std::vector<double>& odds) {
  const double usual = usual_share();
  std::array<double, kShareNodes> share{}, ln_weight{};
  for (std::size_t i = 0; i < kShareNodes; ++i) {
    const double s = share[i] = (static_cast<double>(i) + 0.5) / kShareNodes;
    ln_weight[i] =
        (usual * kKernels - 1) * std::log(s) + ((1 - usual) * kKernels - 1) * std::log(1 - s);
    for (const double o : odds) ln_weight[i] += std::log(s * o + 1 - s);
  }
  const double highest = *std::ranges::max_element(ln_weight);
  std::vector<double> expected;
  for (const double left_out : odds) {
    double sum = 0;
    double mean = 0;
    for (std::size_t i = 0; i < kShareNodes; ++i) {
      const double w = std::exp(ln_weight[i] - highest) / (share[i] * left_out + 1 - share[i]);
      sum += w;
      mean += w * share[i];
    }
    expected.push_back(mean / sum);
  }
  return expected;
}

}  // namespace

void write_costs(TimeLaw* law) {
  if (law->families.empty() && !law->split) return;
  const RecipePosterior posterior = LawFrame(*law).posterior();
  if (law->split)
    law->split->posterior =
        law->split->prior > 0 ? posterior.count_posterior(law->families.size()) : 0;
  const FitPoint& reference = largest_point(law->points);
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
  if (law.size_rule != TimeLaw::SizeRule::kPerProcess) {
    const bool is_expected = law.size_rule == TimeLaw::SizeRule::kLinear;
    const SizeExponent measured = size_exponent(points, is_expected ? law.linear_exponent : 0);
    law.linear_exponent = measured.value;
    law.linear_exponent_sd = measured.sd;
    if (measured.is_measured) law.size_rule = TimeLaw::SizeRule::kLinear;
  }
  double smallest = INFINITY;
  for (const FitPoint& p : points)
    if (p.value > 0) smallest = std::min(smallest, p.value);
  if (std::isinf(smallest)) return law;  // kZero
  const bool may_be_exact = options.may_be_exact && are_free_of_noise(points) &&
                            !(options.prior == "total" && repeats_a_value(points));
  if (may_be_exact) law.exact = fit_count(points, catalog, CountKind::kReal);
  if (!law.exact.is_exact()) law.exact = {};
  // Counts have priority: if they explain the time exactly, the law consists of unit costs. Closed
  // forms in P that also pass through all points remain in law.exact as less likely alternatives.
  const bool all_positive =
      std::ranges::all_of(points, [](const FitPoint& p) { return p.value > 0; });
  if (all_positive && may_be_exact)
    for (CountFamily& family : options.families)
      if (can_explain(family, points) && fit_costs_exactly(&family, points))
        law.families.push_back(family);
  if (!law.families.empty()) {
    law.kind = TimeLaw::Kind::kUnitCosts;
    std::ranges::stable_sort(law.families, std::greater{}, &CountFamily::prior);
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

void pool_plainness(const std::vector<TimeLaw*>& kernels) {
  std::vector<TimeLaw*> laws;
  for (TimeLaw* law : kernels)
    if (law->kind == TimeLaw::Kind::kRecipe && law->prior == "leaf") laws.push_back(law);
  if (laws.size() < 2 || !mechanisms().pooled_plainness) return;
  std::vector<double> odds;
  for (const TimeLaw* law : laws) odds.push_back(odds_for_plain(*law));
  const std::vector<double> shares = expected_shares(odds);
  for (std::size_t i = 0; i < laws.size(); ++i) {
    laws[i]->plain_weight = shares[i];
    write_costs(laws[i]);
  }
}

}  // namespace apmt
