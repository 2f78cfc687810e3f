#include "fitter/recipe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/input_error.h"

namespace apmt {
namespace {

constexpr double kHalfWidth = 2.6;  // the grid spans mean +- 2.6 sd
constexpr std::array<double, 7> kNoiseNodes = {0, 0.75, -0.75, 1.5, -1.5, 2.25, -2.25};
constexpr double kAccident = 0.3;  // standard deviation of ln T of a point that is an accident
constexpr std::size_t kFewest = 3, kMost = 8;  // points among which accidents are looked for
constexpr double kCountWeight = 0.5;           // prior weight of all count families together
constexpr double kNegligible = 1e-6;  // the lightest entries that add up to this much are dropped
constexpr double kHeard = 1e-3;       // with less weight beside counts, its split is not known
constexpr std::size_t kMagnitudes = 128;
constexpr NormalPrior kCostDrift{0, 0.05};  // d
constexpr double kDrifts = 0.25;            // prior weight of any drift at all
constexpr NormalPrior kCountLogit{0, 2};    // logit p

/// Equally spaced nodes with normal weights; the weights add up to 1.
std::vector<GridNode> nodes(const NormalPrior& prior, int count) {
  std::vector<GridNode> list(static_cast<std::size_t>(count));
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double z = count == 1 ? 0 : -kHalfWidth + 2 * kHalfWidth * i / (count - 1);
    list[static_cast<std::size_t>(i)] = {prior.mean + prior.sd * z, std::exp(-0.5 * z * z)};
    sum += list[static_cast<std::size_t>(i)].weight;
  }
  for (GridNode& node : list) node.weight /= sum;
  return list;
}

double square(double x) { return x * x; }

/// Inverse of a positive definite matrix, in place; returns the logarithm of its determinant.
double invert(std::vector<double>* matrix, std::size_t n) {
  std::vector<double>& m = *matrix;
  double ln_determinant = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = m[k * n + k];
    ln_determinant += std::log(pivot);
    m[k * n + k] = 1;
    for (std::size_t j = 0; j < n; ++j) m[k * n + j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = std::exchange(m[i * n + k], 0);
      for (std::size_t j = 0; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
    }
  }
  return ln_determinant;
}

double share(double logit) { return 1 / (1 + std::exp(-logit)); }

/// Nodes of a share whose logit is normal.
std::vector<GridNode> share_nodes(const NormalPrior& logit, int count) {
  std::vector<GridNode> list = nodes(logit, count);
  for (GridNode& node : list) node.value = share(node.value);
  return list;
}

/// g of (1 - g / P): even odds that it is one of the two that pairs and the others of each make.
std::vector<GridNode> own_parts() {
  constexpr int kParts = 20;
  std::vector<GridNode> list;
  for (int i = 1; i <= kParts; ++i)
    list.push_back({static_cast<double>(i) / kParts,
                    0.5 / kParts + (i == kParts / 2 || i == kParts ? 0.25 : 0)});
  return list;
}

/// The usual forms of one kernel's time per rank: divided among the ranks entirely, or in part.
/// Volumes, surfaces, and volumes with one thing beside them are as likely as each other; what
/// stays, and two terms that hardly differ, are a third as likely. Shared work leaves little that
/// rises faster than a logarithm: that is for the curves. Work on pairs is rare, but seen at once
/// where it is: nothing else begins flatter than 1/P and ends in it.
std::vector<PlainLaw> plain_compute_laws() {
  using S = PlainLaw::Second;
  constexpr double pairs = 0.01, usual = 3 * (1 - pairs) / 20, rare = (1 - pairs) / 20;
  return {
      {usual, -1, S::kNone, 0},     {usual, -2.0 / 3, S::kNone, 0},  {usual, -0.5, S::kNone, 0},
      {rare, 0, S::kNone, 0},       {usual, -1, S::kConstant, 0},    {usual, -1, S::kLog, 0},
      {usual, -1, S::kPower, -0.5}, {rare, -1, S::kPower, -2.0 / 3}, {pairs, -1, S::kOthers, 0}};
}

/// Where sizes vary: even odds that a kernel's time goes with the work of a process and nothing
/// else, or that more processes, which share memory, borders and imbalance, make it longer.
std::vector<PlainLaw> plain_compute_laws_in_work() {
  using S = PlainLaw::Second;
  constexpr double alone = 0.5 / 5, beside = 0.5 / 2;
  return {{alone, -1, S::kNone, 0},     {alone, -2.0 / 3, S::kNone, 0}, {alone, -0.5, S::kNone, 0},
          {alone, -1, S::kConstant, 0}, {alone, -1, S::kPower, -0.5},   {beside, -1, S::kLog, 0},
          {beside, -1, S::kPower, 0.5}};
}

/// Beside what starting takes, the end: what one process does alone (it gathers, writes) while the
/// others wait for it, all but one of P.
std::vector<PlainLaw> plain_overhead_laws() {
  using S = PlainLaw::Second;
  return {{0.4, 0, S::kNone, 0},
          {0.25, 0, S::kLog, 0},
          {0.15, 0, S::kPower, 0.5},
          {0.2, 0, S::kOthers, 0}};
}

}  // namespace

RecipePriors recipe_priors(const std::string& name, bool in_work) {
  RecipePriors p;
  if (name != "total") p.widening = 0.03;
  if (name == "leaf") {
    p.slope = {-0.7, 0.4};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.rise = {-0.2, 0.4};
    p.plain = in_work ? plain_compute_laws_in_work() : plain_compute_laws();
  } else if (name == "communication") {
    // Bytes per rank fall, latencies are constant, trees grow with log P, waiting depends on the
    // program.
    p.slope = {-0.2, 0.5};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.fall = {0.8, 0.2};
    p.rise = {0.1, 0.4};
  } else if (name == "waiting") {
    // The busiest rank's lead falls with the work and is a growing part of it: that of independent
    // shares goes as P^-1/2. How a problem happens to divide makes it jump from count to count.
    p.slope = {-0.5, 0.4};
    p.curvature = {0.02, 0.05};
    p.logit_share = {0, 2};
    p.fall = {0.8, 0.2};
    p.rise = {0, 0.3};
    p.discrepancy = 0.2;
  } else if (name == "overhead") {
    // Starting and ending more processes takes a little longer.
    p.slope = {0.15, 0.25};
    p.curvature = {0.02, 0.05};
    p.logit_share = {1, 1};
    p.fall = {0.5, 0.3};
    p.rise = {0.2, 0.3};
    p.plain = plain_overhead_laws();
  } else if (name == "off-cpu") {
    p.slope = {-0.5, 0.5};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.rise = {-0.2, 0.4};
  } else if (name == "total") {
    // Half way from the study's priors to those that do best on the development series of
    // bench/series: neither are many series. Programs that scale perfectly are common.
    p.slope = {-0.9, 0.2};
    p.noise.ln_mean = std::log(0.03);
    p.weight_p = 0.4;
    p.perfect = 0.25;
    p.weight_q = p.weight_t = 0.3;
    p.wander = 0.1;
    p.accident = 0.1;
  } else {
    throw InputError("", "no set of priors is called '" + name + "'");
  }
  if (in_work) {
    p.weight_p = 0;
    p.weight_q = 2.0 / 3;
    p.weight_t = 1.0 / 3;
    p.logit_second = {-2, 1.5};
  }
  return p;
}

RecipeGrids recipe_grids(const RecipePriors& priors) {
  RecipeGrids g;
  g.weight_p = priors.weight_p;
  g.weight_q = priors.weight_q;
  g.weight_t = priors.weight_t;
  g.slope_p = nodes(priors.slope, 41);
  for (GridNode& slope : g.slope_p) slope.weight *= 1 - priors.perfect;
  if (priors.perfect > 0) g.slope_p.push_back({-1, priors.perfect});
  g.slope_q = nodes(priors.slope, 31);
  g.curvature = nodes(priors.curvature, 21);
  g.share = share_nodes(priors.logit_share, 25);
  g.fall = nodes(priors.fall, 11);
  g.rise = nodes(priors.rise, 15);
  for (GridNode& b : g.rise) b.value = std::min(b.value, 1.0);
  g.plain = priors.plain;
  // Neighbours differ by a percent at P_max. With a quarter of the nodes none fits a quiet kernel,
  // and the nearest is up to 50 % wrong at 16 times P_max.
  g.second_share = share_nodes(priors.logit_second, 161);
  g.own_part = own_parts();
  g.count_share = share_nodes(kCountLogit, 101);
  // Unit costs hardly change with P: three to one that they do not, or drift a little (contention).
  g.drift = nodes(kCostDrift, 7);
  for (GridNode& drift : g.drift) drift.weight *= kDrifts;
  g.drift.push_back({0, 1 - kDrifts});
  g.widening = priors.widening;
  g.wander = priors.wander;
  g.accident = priors.accident;
  return g;
}

RecipeConstants recipe_constants() {
  return {.noise_nodes = {kNoiseNodes.begin(), kNoiseNodes.end()},
          .plain_widening = kPlainWidening,
          .accident_sd = kAccident,
          .accident_points = {kFewest, kMost},
          .steepest = kSteepestSlope,
          .count_weight = kCountWeight,
          .negligible = kNegligible};
}

RecipePosterior::RecipePosterior(const std::vector<RecipePoint>& points, const RecipePriors& priors,
                                 const NoisePrior& noise, const std::vector<RecipeCounts>& counts)
    : points_(points), plain_(priors.plain), widening_(priors.widening), wander_(priors.wander) {
  set_noise(noise, priors.accident);
  const RecipeGrids grids = recipe_grids(priors);
  const double beside_counts = counts.empty() ? 1 : 1 - kCountWeight;
  const double plain = beside_counts * priors.weight_plain();
  const double curves = beside_counts - plain;
  if (plain > 0) add_plain(grids, plain);
  if (grids.weight_p > 0) add_power(grids, curves * grids.weight_p);
  if (grids.weight_q > 0) add_curved(grids, curves * grids.weight_q);
  if (grids.weight_t > 0) add_two_terms(grids, curves * grids.weight_t);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i].prior > 0) add_counts(grids, counts[i], i, kCountWeight * counts[i].prior);
  normalise(counts.size());
  double beside = 0;
  for (const Entry& e : entries_) {
    const Family family = curves_[e.curve].family;
    if (family != Family::kCounts) beside += e.weight;
    if (family == Family::kPlain) plain_posterior_ += e.weight;
  }
  plain_posterior_ = beside < kHeard ? priors.weight_plain() : plain_posterior_ / beside;
}

void RecipePosterior::set_noise(const NoisePrior& prior, double accident) {
  double sum = 0;
  for (const double z : kNoiseNodes) sum += std::exp(-0.5 * z * z);
  const auto add_all = [&](double weight, const RecipePoint* accidental) {
    for (const double z : kNoiseNodes)
      add_noise(prior, z, weight * std::exp(-0.5 * z * z) / sum, accidental);
  };
  // Of two points it is unknown which one is the outlier; of many points one decides little.
  if (points_.size() < kFewest || points_.size() > kMost) accident = 0;
  add_all(1 - accident, nullptr);
  if (accident > 0)
    for (const RecipePoint& p : points_)
      add_all(accident / static_cast<double>(points_.size()), &p);
}

void RecipePosterior::add_noise(const NoisePrior& prior, double z, double weight,
                                const RecipePoint* accidental) {
  RecipeNoise n;
  n.ln_prior = std::log(weight);
  n.variance = std::exp(2 * (prior.ln_mean + prior.ln_sd * z));
  for (const RecipePoint& p : points_) {
    const double variance =
        n.variance + square(p.extra_sigma) + (&p == accidental ? square(kAccident) : 0);
    n.precision.push_back(1 / variance);
    n.ln_prior -= 0.5 * std::log(variance);
  }
  n.pull = n.precision;
  if (wander_ > 0) let_wander(&n);
  for (const double pull : n.pull) n.sum_precision += pull;
  n.ln_prior -= 0.5 * std::log(n.sum_precision);  // the level is integrated out
  noise_.push_back(std::move(n));
}

void RecipePosterior::let_wander(RecipeNoise* n) const {
  const std::size_t count = points_.size();
  std::vector<double> covariance(count * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      covariance[i * count + j] =
          wandered(wander_, points_[i].l, points_[j].l) + (i == j ? 1 / n->precision[i] : 0);
  for (const double precision : n->precision) n->ln_prior -= 0.5 * std::log(precision);
  n->ln_prior -= 0.5 * invert(&covariance, count);
  n->beside = std::move(covariance);
  n->pull.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) n->pull[i] += n->beside[i * count + j];
    n->precision[i] = std::exchange(n->beside[i * count + i], 0);
  }
}

/// A curve with prior weight `prior` whose values at the points are `g`. The weight is a logarithm
/// until normalise().
void RecipePosterior::add(double prior, const RecipeCurve& curve, const std::vector<double>& g) {
  const double ln_prior = std::log(prior);
  for (std::size_t s = 0; s < noise_.size(); ++s) {
    const RecipeNoise& n = noise_[s];
    double level = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) level += n.pull[i] * (points_[i].y - g[i]);
    level /= n.sum_precision;
    double chi2 = 0;
    for (std::size_t i = 0; i < points_.size(); ++i)
      chi2 += n.precision[i] * square(points_[i].y - g[i] - level);
    for (std::size_t i = 0; i < points_.size() && !n.beside.empty(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        chi2 += 2 * n.beside[i * points_.size() + j] * (points_[i].y - g[i] - level) *
                (points_[j].y - g[j] - level);
    entries_.push_back({curves_.size(), ln_prior + n.ln_prior - 0.5 * chi2, level, s});
  }
  curves_.push_back(curve);
  if (wander_ > 0) at_points_.insert(at_points_.end(), g.begin(), g.end());
}

void RecipePosterior::add_power(const RecipeGrids& grids, double weight) {
  std::vector<double> g(points_.size());
  for (const GridNode& s : grids.slope_p) {
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = points_[i].shift + s.value * points_[i].l;
    add(weight * s.weight, {Family::kPower, 0, s.value, 0, 0}, g);
  }
}

void RecipePosterior::add_curved(const RecipeGrids& grids, double weight) {
  std::vector<double> g(points_.size());
  for (const GridNode& s : grids.slope_q)
    for (const GridNode& k : grids.curvature) {
      for (std::size_t i = 0; i < g.size(); ++i)
        g[i] = points_[i].shift + s.value * points_[i].l + 0.5 * k.value * square(points_[i].l);
      add(weight * s.weight * k.weight, {Family::kCurved, 0, s.value, k.value, 0}, g);
    }
}

void RecipePosterior::add_two_terms(const RecipeGrids& grids, double weight) {
  const std::size_t n = points_.size();
  const std::vector<GridNode>& falls = grids.fall;
  const std::vector<GridNode>& rises = grids.rise;
  // u^-a and u^b once per node.
  std::vector<std::vector<double>> falling;
  std::vector<std::vector<double>> rising;
  for (const GridNode& a : falls) {
    falling.emplace_back();
    for (const RecipePoint& p : points_) falling.back().push_back(std::exp(-a.value * p.l));
  }
  for (const GridNode& b : rises) {
    rising.emplace_back();
    for (const RecipePoint& p : points_)
      rising.back().push_back(std::exp(ln_beside(b.value, p.l, p.l_procs)));
  }
  std::vector<double> g(n);
  for (const GridNode& f : grids.share) {
    for (std::size_t a = 0; a < falls.size(); ++a)
      for (std::size_t b = 0; b < rises.size(); ++b) {
        for (std::size_t i = 0; i < n; ++i)
          g[i] =
              points_[i].shift + std::log((1 - f.value) * falling[a][i] + f.value * rising[b][i]);
        add(weight * f.weight * falls[a].weight * rises[b].weight,
            {Family::kTwoTerms, 0, f.value, falls[a].value, rises[b].value}, g);
      }
  }
}

void RecipePosterior::add_counts(const RecipeGrids& grids, const RecipeCounts& counts,
                                 std::size_t index, double weight) {
  const bool two = counts.at_points.size() > 1;
  std::vector<double> g(points_.size());
  for (const GridNode& p : two ? grids.count_share : std::vector<GridNode>{{0, 1}}) {
    for (const GridNode& drift : grids.drift) {
      for (std::size_t i = 0; i < g.size(); ++i) {
        std::vector<double> relative;
        for (const auto& feature : counts.at_points) relative.push_back(feature[i]);
        g[i] = ln_counts(p.value, relative) + drift.value * points_[i].l_procs;
      }
      add(weight * p.weight * drift.weight, {Family::kCounts, index, p.value, drift.value, 0}, g);
    }
  }
}

std::vector<GridNode> second_nodes(const RecipeGrids& grids, PlainLaw::Second second) {
  if (second == PlainLaw::Second::kNone) return {{0, 1}};
  return second == PlainLaw::Second::kOthers ? grids.own_part : grids.second_share;
}

void RecipePosterior::add_plain(const RecipeGrids& grids, double weight) {
  std::vector<double> g(points_.size());
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    for (const GridNode& f : second_nodes(grids, plain_[i].second)) {
      for (std::size_t j = 0; j < g.size(); ++j) {
        const RecipePoint& p = points_[j];
        g[j] = p.shift + plain_value(plain_[i], f.value, p.l, p.l_procs, p.max_procs);
      }
      add(weight * plain_[i].weight * f.weight, {Family::kPlain, i, f.value, 0, 0}, g);
    }
  }
}

void RecipePosterior::normalise(std::size_t count_families) {
  double largest = -INFINITY;
  for (const Entry& e : entries_) largest = std::max(largest, e.weight);
  double sum = 0;
  // The weight of the entries of each order of magnitude (base 2): decides where to cut.
  std::array<double, kMagnitudes> by_magnitude{};
  const auto magnitude = [](double weight) {
    const int exponent = weight > 0 ? -std::ilogb(weight) : static_cast<int>(kMagnitudes);
    return std::min(static_cast<std::size_t>(exponent), kMagnitudes - 1);
  };
  for (Entry& e : entries_) {
    sum += e.weight = std::exp(e.weight - largest);
    by_magnitude[magnitude(e.weight)] += e.weight;
  }
  std::size_t keep = kMagnitudes - 1;
  for (double dropped = 0; keep > 0; --keep)
    if ((dropped += by_magnitude[keep]) > kNegligible * sum) break;
  std::erase_if(entries_, [&](const Entry& e) { return magnitude(e.weight) > keep; });
  entries_.shrink_to_fit();
  sum = 0;
  for (const Entry& e : entries_) sum += e.weight;
  count_posterior_.assign(count_families, 0);
  count_share_.assign(count_families, 0);
  for (Entry& e : entries_) {
    e.weight /= sum;
    ln_level_ += e.weight * e.level;
    const RecipeCurve& curve = curves_[e.curve];
    if (curve.family != Family::kCounts) continue;
    count_posterior_[curve.index] += e.weight;
    count_share_[curve.index] += e.weight * curve.a;
  }
  for (std::size_t i = 0; i < count_families; ++i)
    if (count_posterior_[i] > 0) count_share_[i] /= count_posterior_[i];
}

double RecipePosterior::follow(const Entry& e, const Wandered& w) const {
  double sum = 0;
  for (std::size_t i = 0; i < w.follows.size(); ++i)
    sum += w.follows[i] * (points_[i].y - at_points_[e.curve * points_.size() + i] - e.level);
  return sum;
}

LogMixture RecipePosterior::at(const RecipeTarget& target) const {
  // One grid for each noise and widening: curves carry the recipe's, plain laws and counts theirs.
  const std::size_t noises = noise_.size();
  std::vector<Wandered> wandered;
  for (const RecipeNoise& n : noise_)
    wandered.push_back(wandered_to(target.l, wander_, points_, n));
  std::vector<double> sd;
  for (const double widening : {widening_, kPlainWidening})
    for (std::size_t i = 0; i < noises; ++i)
      sd.push_back(std::sqrt(noise_[i].variance + wandered[i].level_variance +
                             wandered[i].walk_variance + square(widening * target.distance) +
                             square(target.extra_sd)));
  const auto grid_of = [&](const Entry& e) {
    return e.noise + (curves_[e.curve].carries_its_uncertainty() ? noises : 0);
  };
  std::vector<double> means;
  means.reserve(entries_.size());
  std::vector<double> lowest(sd.size(), INFINITY);
  std::vector<double> highest(sd.size(), -INFINITY);
  std::size_t curve = curves_.size();
  double value = 0;
  for (const Entry& e : entries_) {
    if (e.curve != curve) value = curve_value(curves_[curve = e.curve], plain_, target);
    means.push_back(value + e.level + follow(e, wandered[e.noise]));
    const std::size_t g = grid_of(e);
    lowest[g] = std::min(lowest[g], means.back());
    highest[g] = std::max(highest[g], means.back());
  }
  std::vector<PartGrid> grids;
  for (std::size_t g = 0; g < sd.size(); ++g)
    grids.emplace_back(sd[g], std::isinf(lowest[g]) ? 0 : lowest[g],
                       std::isinf(lowest[g]) ? 0 : highest[g]);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    grids[grid_of(entries_[i])].add(entries_[i].weight, means[i]);
  std::vector<LogNormalPart> parts;
  for (const PartGrid& grid : grids) grid.append_to(&parts);
  return LogMixture(std::move(parts));
}

}  // namespace apmt
