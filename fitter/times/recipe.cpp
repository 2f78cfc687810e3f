#include "fitter/times/recipe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/square.h"

namespace apmt {
namespace {

/// Entries that weigh less than e^-30 of the heaviest are skipped: even a million of them weigh far
/// less than kNegligible.
constexpr double kHopeless = 30;
/// If curves and plain laws together have less posterior weight than this, the points do not show
/// the ratio of the weight of curves to that of plain laws, and the prior ratio is used.
constexpr double kHeard = 1e-3;
constexpr std::size_t kMagnitudes = 128;

struct Weighed {
  double level = 0;
  double chi2 = 0;
};

/// Fits the level of a curve. `misses`: how far the points lie above the curve with level 0;
/// afterwards, above the fitted one.
Weighed weighed(std::vector<double>* misses, const RecipeNoise& n) {
  const std::size_t count = misses->size();
  double* const miss = misses->data();  // most of the time of a fit is spent here
  const double* const pull = n.pull.data();
  const double* const precision = n.precision.data();
  double level = 0;
  for (std::size_t i = 0; i < count; ++i) level += pull[i] * miss[i];
  level /= n.sum_precision;
  double chi2 = 0;
  for (std::size_t i = 0; i < count; ++i) chi2 += precision[i] * square(miss[i] -= level);
  if (n.beside.empty()) return {level, chi2};
  const double* beside = n.beside.data();
  for (std::size_t i = 1; i < count; ++i) {
    beside += count;
    double sum = 0;
    for (std::size_t j = 0; j < i; ++j) sum += beside[j] * miss[j];
    chi2 += 2 * sum * miss[i];
  }
  return {level, chi2};
}

/// The noises of the curves whose slopes wander, or of those whose slopes do not.
struct NoisesOfSlopes {
  std::size_t first = 0, end = 0;    // in the list of all noises
  double most_ln_prior = -INFINITY;  // of these noises
  RecipeNoise loosest;  // with it, no curve misses the points by more (chi^2) than with any of them
};

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

/// Makes the errors of the points correlated, as they are if slopes wander. Returns the logarithm
/// of the determinant of their covariance.
double let_wander(const std::vector<RecipePoint>& points, RecipeNoise* n) {
  const std::size_t count = points.size();
  std::vector<double> covariance(count * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      covariance[i * count + j] =
          wandered(n->wander, points[i].l, points[j].l) + (i == j ? 1 / n->precision[i] : 0);
  const double ln_determinant = invert(&covariance, count);
  n->beside = std::move(covariance);
  n->pull.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) n->pull[i] += n->beside[i * count + j];
    n->precision[i] = std::exchange(n->beside[i * count + i], 0);
  }
  return ln_determinant;
}

/// Points with an index between first and end.
struct PointRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

RecipeNoise noise_of(const std::vector<RecipePoint>& points, double variance, double weight,
                     PointRange outliers, const Wander& wander) {
  RecipeNoise n;
  n.variance = variance;
  n.wander = wander;
  double ln_determinant = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool is_outlier = i >= outliers.first && i < outliers.end;
    const double of_point = variance + square(points[i].extra_sigma) +
                            (is_outlier ? square(common_priors().outlier_sd) : 0);
    n.precision.push_back(1 / of_point);
    ln_determinant += std::log(of_point);
  }
  n.pull = n.precision;
  if (wander.among > 0) ln_determinant = let_wander(points, &n);
  for (const double pull : n.pull) n.sum_precision += pull;
  // The level is integrated out.
  n.ln_prior = std::log(weight) - 0.5 * (ln_determinant + std::log(n.sum_precision));
  return n;
}

/// Adds the points of the quadrature over the noise, for curves whose slopes wander by `wander`:
/// first all kNoiseNodes without an outlier. If outliers are considered, all kNoiseNodes follow
/// again for each point, with that point as the outlier.
NoisesOfSlopes add_noises(const std::vector<RecipePoint>& points, const NormalPrior& prior,
                          double accident, const Wander& wander, std::vector<RecipeNoise>* noises) {
  // With two points, either may be the outlier; with many, one outlier has little influence. In
  // both cases, outliers are not considered.
  if (points.size() < kFewestWithAccidents || points.size() > kMostWithAccidents) accident = 0;
  NoisesOfSlopes its{.first = noises->size(), .loosest = {}};
  double sum = 0;
  for (const double z : kNoiseNodes) sum += std::exp(-0.5 * z * z);
  const auto variance = [&](double z) { return std::exp(2 * (prior.mean + prior.sd * z)); };
  const auto add_all = [&](double weight, PointRange outliers) {
    for (const double z : kNoiseNodes) {
      noises->push_back(
          noise_of(points, variance(z), weight * std::exp(-0.5 * z * z) / sum, outliers, wander));
      its.most_ln_prior = std::max(its.most_ln_prior, noises->back().ln_prior);
    }
  };
  add_all(1 - accident, {});
  for (std::size_t i = 0; i < points.size() && accident > 0; ++i)
    add_all(accident / static_cast<double>(points.size()), {i, i + 1});
  its.end = noises->size();
  its.loosest = noise_of(points, variance(*std::ranges::max_element(kNoiseNodes)), 1,
                         {0, accident > 0 ? points.size() : 0}, wander);
  return its;
}

/// Adds an entry for each curve and noise, with the logarithm of its weight.
class RecipeWeigher {
 public:
  RecipeWeigher(const std::vector<RecipePoint>& points, const std::vector<RecipeNoise>& noises,
                std::vector<RecipeEntry>* entries)
      : points_(points), noises_(noises), entries_(*entries), misses_(points.size()) {}

  void add(std::size_t curve, double ln_prior, const double* at_points, const NoisesOfSlopes& its) {
    for (std::size_t i = 0; i < misses_.size(); ++i) misses_[i] = points_[i].y - at_points[i];
    // If there is little noise, the weights of most curves are negligible.
    Weighed w = weighed(&misses_, its.loosest);
    if (ln_prior + its.most_ln_prior - 0.5 * w.chi2 < ln_heaviest_ - kHopeless) return;
    for (std::size_t s = its.first; s < its.end; ++s) {
      const double level = w.level;
      w = weighed(&misses_, noises_[s]);
      w.level += level;
      const double ln_weight = ln_prior + noises_[s].ln_prior - 0.5 * w.chi2;
      ln_heaviest_ = std::max(ln_heaviest_, ln_weight);
      if (ln_weight > ln_heaviest_ - kHopeless) entries_.push_back({curve, ln_weight, w.level, s});
    }
  }

 private:
  const std::vector<RecipePoint>& points_;
  const std::vector<RecipeNoise>& noises_;
  std::vector<RecipeEntry>& entries_;
  std::vector<double> misses_;  // of the points, above the current curve and level
  double ln_heaviest_ = -INFINITY;
};

/// The grid of p. If other data give priors of the shares of the counts (1 - p, p), the weights are
/// multiplied by them.
std::vector<GridNode> expected_shares(std::vector<GridNode> shares,
                                      const std::vector<std::optional<NormalPrior>>& ln_shares) {
  if (std::ranges::none_of(ln_shares, [](const auto& s) { return s.has_value(); })) return shares;
  const auto miss = [&](const GridNode& p) {
    double sum = 0;
    for (std::size_t i = 0; i < ln_shares.size(); ++i)
      if (const auto& prior = ln_shares[i])
        sum += square((std::log(i == 0 ? 1 - p.value : p.value) - prior->mean) / prior->sd);
    return sum;
  };
  double least = INFINITY;  // subtracted below, so that not all weights vanish
  for (const GridNode& p : shares) least = std::min(least, miss(p));
  double sum = 0;
  for (GridNode& p : shares) sum += p.weight *= std::exp(-0.5 * (miss(p) - least));
  for (GridNode& p : shares) p.weight /= sum;
  return shares;
}

std::vector<double> ln_counts_at_points(double p, const RecipeCounts& counts, std::size_t points) {
  std::vector<double> values;
  std::vector<double> relative(counts.at_points.size());
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t f = 0; f < relative.size(); ++f) relative[f] = counts.at_points[f][i];
    values.push_back(ln_counts(p, relative));
  }
  return values;
}

}  // namespace

const RecipeCurve& RecipeBasis::curve(std::size_t index) const {
  const std::size_t shared = table->curves.size();
  return index < shared ? table->curves[index] : of_counts[index - shared];
}

double RecipeBasis::value(std::size_t index, const RecipeTarget& target) const {
  return curve_value(curve(index), table->grids.plain, target);
}

std::vector<Wandered> RecipeBasis::wandered(double l) const {
  std::vector<Wandered> all;
  all.reserve(noise.size());
  for (const RecipeNoise& n : noise) all.push_back(wandered_to(l, points, n));
  return all;
}

RecipePosterior::RecipePosterior(const std::vector<RecipePoint>& points, const RecipePriors& priors,
                                 const NormalPrior& noise, const std::vector<RecipeCounts>& counts)
    : basis_{.points = points,
             .widening = priors.widening,
             .plain_widening = priors.plain_widening,
             .change = priors.change,
             .noise = {}} {
  const auto noises_of = [&](const Wander& wander) {
    return add_noises(points, noise, priors.accident, wander, &basis_.noise);
  };
  const NoisesOfSlopes steady = noises_of({});
  const NoisesOfSlopes wandering = priors.wander == Wander{} ? steady : noises_of(priors.wander);
  const RecipeGrids grids = recipe_grids(priors);
  basis_.table = recipe_table(grids, points);
  const double beside_counts = counts.empty() ? 1 : 1 - common_priors().counts;
  const double plain = beside_counts * priors.weight_plain();
  const double ln_plain = std::log(plain), ln_others = std::log(beside_counts - plain);
  // This memory is kept for the next law. Most entries are dropped again, so allocating memory anew
  // for each law would take much time.
  thread_local std::vector<RecipeEntry> weighed;
  weighed.clear();
  RecipeWeigher weigher(basis_.points, basis_.noise, &weighed);
  for (std::size_t c = 0; c < basis_.table->curves.size(); ++c) {
    const bool is_plain = c < basis_.table->plain;
    weigher.add(c, (is_plain ? ln_plain : ln_others) + basis_.table->ln_weights[c], at_points(c),
                is_plain ? steady : wandering);
  }
  for (std::size_t family = 0; family < counts.size(); ++family) {
    const RecipeCounts& c = counts[family];
    if (!(c.prior > 0)) continue;
    for (const GridNode& p : c.at_points.size() > 1
                                 ? expected_shares(grids.count_share, c.ln_shares)
                                 : std::vector<GridNode>{{0, 1}}) {
      const std::vector<double> g = ln_counts_at_points(p.value, c, points.size());
      weigher.add(basis_.table->curves.size() + basis_.of_counts.size(),
                  std::log(common_priors().counts * c.prior * p.weight), g.data(), steady);
      basis_.of_counts.push_back({RecipeCurve::Family::kCounts, family, p.value, 0, 0});
      of_counts_at_points_.insert(of_counts_at_points_.end(), g.begin(), g.end());
    }
  }
  keep_heaviest(&weighed);
  normalise(counts.size());
  double beside = 0;
  for (const RecipeEntry& e : entries_) {
    if (e.curve < basis_.table->curves.size()) beside += e.weight;
    if (e.curve < basis_.table->plain) plain_posterior_ += e.weight;
  }
  plain_posterior_ = beside < kHeard ? priors.weight_plain() : plain_posterior_ / beside;
}

const double* RecipePosterior::at_points(std::size_t curve) const {
  const std::size_t shared = basis_.table->curves.size();
  return curve < shared ? &basis_.table->at_points[curve * basis_.points.size()]
                        : &of_counts_at_points_[(curve - shared) * basis_.points.size()];
}

void RecipePosterior::keep_heaviest(std::vector<RecipeEntry>* entries) {
  double largest = -INFINITY;
  for (const RecipeEntry& e : *entries) largest = std::max(largest, e.weight);
  double sum = 0;
  // The weight of the entries of each order of magnitude (base 2), to decide where to cut.
  std::array<double, kMagnitudes> by_magnitude{};
  const auto magnitude = [](double weight) {  // -log2 of a weight up to 1, by its exponent bits
    return std::min(std::size_t{1023} - (std::bit_cast<std::uint64_t>(weight) >> 52),
                    kMagnitudes - 1);
  };
  for (RecipeEntry& e : *entries) {
    sum += e.weight = std::exp(e.weight - largest);
    by_magnitude[magnitude(e.weight)] += e.weight;
  }
  std::size_t keep = kMagnitudes - 1;
  for (double dropped = 0; keep > 0; --keep)
    if ((dropped += by_magnitude[keep]) > kNegligible * sum) break;
  const auto is_kept = [&](const RecipeEntry& e) { return magnitude(e.weight) <= keep; };
  entries_.reserve(static_cast<std::size_t>(std::ranges::count_if(*entries, is_kept)));
  std::copy_if(entries->begin(), entries->end(), std::back_inserter(entries_), is_kept);
}

void RecipePosterior::normalise(std::size_t count_families) {
  double sum = 0;
  for (const RecipeEntry& e : entries_) sum += e.weight;
  count_posterior_.assign(count_families, 0);
  count_share_.assign(count_families, 0);
  for (RecipeEntry& e : entries_) {
    e.weight /= sum;
    ln_level_ += e.weight * e.level;
    if (e.curve < basis_.table->curves.size()) continue;
    const RecipeCurve& c = basis_.curve(e.curve);
    count_posterior_[c.index] += e.weight;
    count_share_[c.index] += e.weight * c.a;
  }
  for (std::size_t i = 0; i < count_families; ++i)
    if (count_posterior_[i] > 0) count_share_[i] /= count_posterior_[i];
}

}  // namespace apmt
