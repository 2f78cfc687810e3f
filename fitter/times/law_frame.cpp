#include "fitter/times/law_frame.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/mean.h"
#include "base/square.h"
#include "fitter/mechanisms.h"
#include "fitter/runs/spread.h"
#include "fitter/times/draw_places.h"

namespace apmt {
namespace {

/// The scatter of single runs about the median of their point, pooled over all points. Without
/// repetitions, there are no degrees of freedom.
struct RunScatter {
  double freedom = 0;
  double variance = 0;  // of ln time, without the sampling error
};

RunScatter run_scatter(const std::vector<FitPoint>& points) {
  RunScatter scatter;
  for (const FitPoint& p : points) {
    const double dof = p.repetitions - 1;
    if (dof <= 0) continue;
    scatter.freedom += dof;
    // A relative variance v becomes ln(1 + v) in the logarithm. If v is small, ln(1 + v) is about
    // v. If a time nearly vanishes and scatters by many times its value, ln(1 + v) stays moderate.
    scatter.variance +=
        dof * std::log1p(std::max(square(p.rel_sigma) - square(p.rel_sampling), 0.0));
  }
  if (scatter.freedom > 0) scatter.variance /= scatter.freedom;
  return scatter;
}

/// The smallest variance that the median of a point has, relative to that of a single run.
double least_variance_factor(const std::vector<FitPoint>& points) {
  double least = 1;
  for (const FitPoint& p : points) least = std::min(least, square(median_factor(p.repetitions)));
  return least;
}

/// With at least this many problem sizes, the scatter of the points includes the effect that a size
/// which was not profiled may have.
constexpr std::size_t kManySizes = 3;

bool has_many_sizes(const std::vector<FitPoint>& points) {
  std::set<double> works;
  for (const FitPoint& p : points) works.insert(p.work);
  return works.size() >= kManySizes;
}

/// The prior of sqrt(sigma^2 + tau^2), where sigma and tau are log-normal. It is approximated by a
/// log-normal distribution whose logarithm has the same mean and standard deviation.
NormalPrior added(const NormalPrior& sigma, const NormalPrior& tau) {
  constexpr double kStep = 0.13, kEnd = 2.6;
  double weight = 0, sum = 0, squares = 0;
  for (double a = -kEnd; a <= kEnd + 0.5 * kStep; a += kStep)
    for (double b = -kEnd; b <= kEnd + 0.5 * kStep; b += kStep) {
      const double w = std::exp(-0.5 * (a * a + b * b));
      const double ln = 0.5 * std::log(std::exp(2 * (sigma.mean + sigma.sd * a)) +
                                       std::exp(2 * (tau.mean + tau.sd * b)));
      weight += w;
      sum += w * ln;
      squares += w * ln * ln;
    }
  const double mean = sum / weight;
  return {mean, std::sqrt(std::max(squares / weight - mean * mean, 0.0))};
}

}  // namespace

double CostFactors::of(const Feature& feature) const {
  if (feature.name == "alpha") return latency;
  return feature.name == "beta" ? volume : 1;
}

NormalPrior noise_prior(const std::vector<FitPoint>& points, const RecipePriors& priors) {
  const RunScatter scatter = run_scatter(points);
  const double nu = scatter.freedom;
  NormalPrior prior = priors.noise;
  if (nu == 0 || !mechanisms().measured_noise) return prior;
  const double ln_s =
      0.5 * std::log(scatter.variance * least_variance_factor(points) + square(priors.discrepancy));
  prior.mean = (prior.mean + 2 * nu * ln_s) / (1 + 2 * nu);
  prior.sd = 1 / std::sqrt(1 + 2 * nu);
  return has_many_sizes(points) ? added(prior, priors.size_scatter) : prior;
}

std::vector<double> extra_sigmas(const std::vector<FitPoint>& points) {
  const double variance = mechanisms().measured_noise ? run_scatter(points).variance : 0;
  const double least = least_variance_factor(points);
  std::vector<double> sigmas;
  for (const FitPoint& p : points) {
    const double factor = square(median_factor(p.repetitions));
    sigmas.push_back(
        std::sqrt(square(p.rel_sampling) * factor + variance * std::max(factor - least, 0.0)));
  }
  return sigmas;
}

LawFrame::LawFrame(const TimeLaw& law) : law_(law) {
  if (law.points.empty()) return;
  reference_work_ = largest_point(law.points).work;
  min_procs_ = min_x_ = INFINITY;
  for (const FitPoint& p : law.points) {
    max_procs_ = std::max(max_procs_, p.procs);
    min_procs_ = std::min(min_procs_, p.procs);
    max_x_ = std::max(max_x_, p.work_per_process());
    min_x_ = std::min(min_x_, p.work_per_process());
  }
  work_varies_ = differ(law.points, &FitPoint::work);
  many_sizes_ = has_many_sizes(law.points);
  std::map<double, std::set<double>> works;  // by P
  for (const FitPoint& p : law.points) works[p.procs].insert(p.work);
  if (work_varies_ &&
      std::ranges::all_of(works, [](const auto& w) { return w.second.size() == 1; }))
    for (const auto& [procs, its] : works)
      series_.emplace_back(std::log(procs), std::log(*its.begin()));
  for (const FitPoint& p : law.points) {
    const std::optional<double> ln_size = ln_call_size(p.procs, p.work);
    if (!ln_size) continue;
    ln_smallest_call_ = std::min(ln_smallest_call_, *ln_size);
    ln_largest_call_ = std::max(ln_largest_call_, *ln_size);
  }
}

std::optional<std::size_t> LawFrame::plain_family() const {
  for (std::size_t i = 0; i < law_.families.size() && law_.unseen.algorithms; ++i)
    if (law_.families[i].name == kPlainCounts && law_.families[i].features.size() == 2) return i;
  return std::nullopt;
}

std::optional<double> LawFrame::ln_call_size(double procs, double work) const {
  const std::optional<std::size_t> plain = plain_family();
  if (!plain) return std::nullopt;
  double ln_size = 0;
  for (const Feature& f : law_.families[*plain].features) {
    double count = 0;
    for (const Hypothesis& h : f.counts) count += h.value(procs, work);
    if (!(count > 0)) return std::nullopt;
    ln_size += f.name == "beta" ? std::log(count) : -std::log(count);
    ln_size += f.size_exponent * std::log(size_ratio(work));
  }
  return ln_size;
}

double LawFrame::unseen_sd(double procs, double work, int cores_per_node) const {
  const CommonPriors& priors = common_priors();
  double variance = 0;
  const int cores = law_.unseen.cores_of_only_node;
  if (cores > 0 && procs > (cores_per_node > 0 ? cores_per_node : cores))
    variance += square(priors.other_nodes_sd);
  const std::optional<double> ln_size = ln_call_size(procs, work);
  if (ln_size && ln_smallest_call_ <= ln_largest_call_) {
    const double beyond =
        std::max({ln_smallest_call_ - *ln_size, *ln_size - ln_largest_call_, 0.0});
    variance += square(
        std::min(priors.other_calls_sd * beyond / std::log(4.0), priors.most_other_calls_sd));
  }
  return std::sqrt(variance);
}

bool LawFrame::is_by_costs() const {
  return law_.kind == TimeLaw::Kind::kRecipe && law_.split && law_.split->prior > 0;
}

RecipePosterior LawFrame::posterior() const {
  const RecipePriors prior = priors();
  return {recipe_points(), prior, noise_prior(law_.points, prior), recipe_counts()};
}

RecipePriors LawFrame::priors() const {
  RecipePriors priors = recipe_priors(law_.prior, priors_in_work());
  if (law_.plain_weight) priors.plain_weight = *law_.plain_weight;
  return priors;
}

std::vector<RecipePoint> LawFrame::recipe_points() const {
  std::vector<RecipePoint> points;
  const std::vector<double> sigmas = extra_sigmas(law_.points);
  for (std::size_t i = 0; i < law_.points.size(); ++i) {
    const FitPoint& p = law_.points[i];
    const RecipeTarget t = target(p.procs, p.work, {});
    points.push_back({t.l, t.l_procs, max_procs_, t.shift, std::log(p.value), sigmas[i]});
  }
  return points;
}

std::vector<RecipeCounts> LawFrame::recipe_counts() const {
  std::vector<RecipeCounts> counts;
  for (const CountFamily& family : law_.families) {
    RecipeCounts& c = counts.emplace_back(RecipeCounts{.prior = family.prior, .at_points = {}});
    for (const Feature& f : family.features) {
      const double reference = f.per_rank(max_procs_, reference_work_);
      std::vector<double>& at_points = c.at_points.emplace_back();
      for (std::size_t k = 0; k < law_.points.size(); ++k)
        at_points.push_back(f.at_point(k, law_.points[k].procs, law_.points[k].work) / reference);
      std::optional<NormalPrior>& ln_share = c.ln_shares.emplace_back();
      if (const auto& expected = f.expected)
        ln_share = {std::log(expected->cost * reference / largest_point(law_.points).value),
                    expected->ln_sd};
    }
  }
  if (!is_by_costs()) return counts;
  counts.push_back({.prior = law_.split->prior, .at_points = {{}}});
  for (const FitPoint& p : law_.points)
    counts.back().at_points.front().push_back(
        std::exp(mean(law_.split->ln_ratios(p.procs, p.work, max_procs_, reference_work_))));
  return counts;
}

bool LawFrame::priors_in_work() const {
  return work_varies_ && law_.size_rule == TimeLaw::SizeRule::kPerProcess;
}

RecipeTarget LawFrame::target(double procs, double work, const CostFactors& factors) const {
  RecipeTarget t;
  t.l_procs = std::log(procs / max_procs_);
  t.max_procs = max_procs_;
  t.l = law_.size_rule == TimeLaw::SizeRule::kPerProcess ? std::log(min_x_ / (work / procs))
                                                         : t.l_procs;
  if (law_.size_rule == TimeLaw::SizeRule::kLinear)
    t.shift = law_.linear_exponent * std::log(work / reference_work_);
  // Distance (in ln) from the measured range: the larger of the distance in P and, if the law
  // depends on it, the distance in work per process. If sizes vary as well, the distance in P
  // counts less.
  t.distance = std::max({t.l_procs, std::log(min_procs_ / procs), 0.0});
  if (priors_in_work()) t.distance *= common_priors().procs_alone;
  if (law_.size_rule == TimeLaw::SizeRule::kPerProcess)
    t.distance = std::max({t.distance, t.l, std::log(min_x_ / max_x_) - t.l});
  const auto has_this_size = [&](const FitPoint& p) {
    return std::abs(p.work - work) <= 1e-9 * std::abs(work);
  };
  if (law_.size_rule != TimeLaw::SizeRule::kNone && !many_sizes_ &&
      std::ranges::none_of(law_.points, has_this_size))
    t.extra_sd = common_priors().new_size_sd;
  t.extra_sd = std::hypot(t.extra_sd, unseen_sd(procs, work, factors.cores_per_node),
                          law_.linear_exponent_sd * size_distance(procs, work));
  t.latency = factors.latency;
  t.volume = has_bytes() ? factors.volume : factors.latency;
  for (const CountFamily& family : law_.families) {
    std::vector<double>& values = t.counts.emplace_back();
    for (const Feature& f : family.features)
      values.push_back(factors.of(f) * count(f, procs, work) /
                       f.per_rank(max_procs_, reference_work_));
  }
  if (!is_by_costs()) return t;
  t.of_ways = law_.split->ln_ratios(procs, work, max_procs_, reference_work_);
  const double centre = mean(t.of_ways);
  const double strays = t.l > 0 && law_.split->is_foreseen ? counts_stray(centre, procs, work) : 0;
  for (std::size_t i = 0; i < t.of_ways.size(); ++i)
    t.of_ways[i] += strays * way_normals()[i % kWays] - centre;
  t.counts.push_back({std::exp(centre)});
  if (t.l > 0) t.cached = law_.split->ln_cached(procs, work);
  return t;
}

double LawFrame::counts_stray(double ln_ratio, double procs, double work) const {
  const MemorySplit::Costs core{.core_s = 1};
  const double computing =
      law_.split->time_s(core, procs, work) / law_.split->time_s(core, max_procs_, reference_work_);
  return computing > 0 ? common_priors().counts_stray * std::abs(ln_ratio - std::log(computing))
                       : 0;
}

bool LawFrame::has_bytes() const {
  return std::ranges::any_of(law_.families, [](const CountFamily& family) {
    return std::ranges::any_of(family.features, [](const Feature& f) { return f.name == "beta"; });
  });
}

double LawFrame::size_distance(double procs, double work) const {
  const double ln_work = std::log(work);
  if (series_.size() < 2) {
    const auto [least, most] = std::ranges::minmax(law_.points, {}, &FitPoint::work);
    return std::max({std::log(least.work) - ln_work, ln_work - std::log(most.work), 0.0});
  }
  std::size_t above = 1;
  while (above + 1 < series_.size() && series_[above].first < std::log(procs)) ++above;
  const auto& [from_procs, from_work] = series_[above - 1];
  const auto& [to_procs, to_work] = series_[above];
  const double share = (std::log(procs) - from_procs) / (to_procs - from_procs);
  return std::abs(ln_work - from_work - share * (to_work - from_work));
}

std::vector<std::pair<double, double>> LawFrame::seen_ratios(const Feature& f) const {
  std::vector<std::pair<double, double>> ratios;
  for (std::size_t i = 0; i < f.seen.size() && !work_varies_; ++i) {
    const FitPoint& p = law_.points[i];
    const double by_law = f.per_rank(p.procs, p.work);
    if (!(by_law > 0)) return {};
    ratios.emplace_back(p.procs, f.seen[i] / by_law);
  }
  return ratios;
}

double LawFrame::count(const Feature& f, double procs, double work) const {
  double count = f.per_rank(procs, work) * std::pow(size_ratio(work), f.size_exponent);
  if (f.seen.empty() || procs > max_procs_) return count;
  const std::vector<std::pair<double, double>> ratios = seen_ratios(f);
  const auto above = std::ranges::find_if(ratios, [&](const auto& r) { return r.first >= procs; });
  if (above == ratios.end()) return count;
  if (above == ratios.begin()) return count * above->second;
  const auto below = std::prev(above);
  const double share = std::log(procs / below->first) / std::log(above->first / below->first);
  return count * std::pow(below->second, 1 - share) * std::pow(above->second, share);
}

double LawFrame::time_by_counts(const CountFamily& family, double procs, double work,
                                const CostFactors& factors) const {
  double sum = 0;
  for (const Feature& f : family.features) sum += factors.of(f) * f.cost * count(f, procs, work);
  return sum;
}

std::optional<double> LawFrame::share_of(const std::string& feature, const CountFamily& family,
                                         double procs, double work) const {
  double its_s = 0;
  for (const Feature& f : family.features)
    if (f.name == feature) its_s += f.cost * count(f, procs, work);
  const double all_s = time_by_counts(family, procs, work, {});
  return all_s > 0 ? std::optional(its_s / all_s) : std::nullopt;
}

double LawFrame::cost_ratio(double procs, double work, const CostFactors& factors) const {
  if (!factors.splits()) return 1;
  double before = 0;
  double after = 0;
  for (const CountFamily& family : law_.families) {
    const double time_s = time_by_counts(family, procs, work, {});
    if (time_s <= 0) continue;
    // Families agree at the fitted points and differ beyond them. So each family's ratio of changed
    // to unchanged time is weighted by the family's share of the posterior, and not by its seconds.
    before += family.posterior;
    after += family.posterior * time_by_counts(family, procs, work, factors) / time_s;
  }
  return before > 0 ? after / before : 1;
}

std::vector<double> LawFrame::alternatives(double procs, double work,
                                           const CostFactors& factors) const {
  const double ratio = size_ratio(work);
  std::vector<double> times;
  for (const CountFamily& family : law_.families)
    times.push_back(time_by_counts(family, procs, work, factors));
  // If only one problem size was profiled, closed forms are laws in P alone. Another size then has
  // an effect only through x = D/P or through the ratio of linear sizes.
  double factor = cost_ratio(procs, work, factors);
  if (ratio != 1) {
    if (law_.size_rule == TimeLaw::SizeRule::kPerProcess) procs /= ratio;
    if (law_.size_rule == TimeLaw::SizeRule::kLinear)
      factor *= std::pow(ratio, law_.linear_exponent);
    work = reference_work_;
  }
  for (const Hypothesis& h : law_.exact.hypotheses) times.push_back(factor * h.value(procs, work));
  return times;
}

}  // namespace apmt
