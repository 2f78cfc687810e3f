#include "fitter/recipe.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/input_error.h"

namespace apmt {
namespace {

constexpr double kHalfWidth = 2.6;  // the grid spans mean +- 2.6 sd
constexpr std::array<double, 5> kNoiseNodes = {0, 0.75, -0.75, 1.5, -1.5};
constexpr double kWidening = 0.1;   // standard deviation of ln T per unit of ln u* beyond the points
constexpr double kCountWeight = 0.5;  // prior weight of all count families together

struct Node {
  double value = 0;
  double weight = 0;
};

/// Equally spaced nodes with normal weights; the weights add up to 1.
std::vector<Node> nodes(const NormalPrior& prior, int count) {
  std::vector<Node> list(static_cast<std::size_t>(count));
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double z = count == 1 ? 0 : -kHalfWidth + 2 * kHalfWidth * i / (count - 1);
    list[static_cast<std::size_t>(i)] = {prior.mean + prior.sd * z, std::exp(-0.5 * z * z)};
    sum += list[static_cast<std::size_t>(i)].weight;
  }
  for (Node& node : list) node.weight /= sum;
  return list;
}

/// Gathers weight * N over all nodes. The logarithm of the weight is kept until all are known.
class Accumulator {
 public:
  Accumulator(const std::vector<RecipePoint>& points, const NoisePrior& noise,
              const RecipeTarget& target)
      : points_(points), target_(target) {
    double sum = 0;
    for (const double z : kNoiseNodes) sum += std::exp(-0.5 * z * z);
    for (const double z : kNoiseNodes) {
      Noise n;
      n.ln_prior = -0.5 * z * z - std::log(sum);
      n.variance = std::exp(2 * (noise.ln_mean + noise.ln_sd * z));
      for (const RecipePoint& p : points) {
        const double variance = n.variance + p.extra_sigma * p.extra_sigma;
        n.precision.push_back(1 / variance);
        n.sum_precision += 1 / variance;
        n.ln_prior -= 0.5 * std::log(variance);
      }
      n.ln_prior -= 0.5 * std::log(n.sum_precision);  // the level is integrated out
      n.sd = std::sqrt(n.variance + 1 / n.sum_precision + square(kWidening * target.distance) +
                       square(target.extra_sd));
      noise_.push_back(std::move(n));
    }
  }

  /// A curve with prior weight `prior` whose values at the points are `g`, at the target `g_target`.
  void add(double prior, const std::vector<double>& g, double g_target) {
    for (const Noise& n : noise_) {
      double level = 0;
      for (std::size_t i = 0; i < points_.size(); ++i)
        level += n.precision[i] * (points_[i].y - g[i]);
      level /= n.sum_precision;
      double chi2 = 0;
      for (std::size_t i = 0; i < points_.size(); ++i)
        chi2 += n.precision[i] * square(points_[i].y - g[i] - level);
      entries_.push_back({std::log(prior) + n.ln_prior - 0.5 * chi2, g_target + level, n.sd, level});
    }
  }

  std::size_t size() const { return entries_.size(); }

  /// Turns the logarithms into weights that add up to 1; returns the mixture.
  LogMixture finish() {
    double largest = -INFINITY;
    for (const Entry& e : entries_) largest = std::max(largest, e.ln_weight);
    std::vector<LogNormalPart> parts;
    parts.reserve(entries_.size());
    double sum = 0;
    for (Entry& e : entries_) {
      e.ln_weight = std::exp(e.ln_weight - largest);  // from here on the weight itself
      sum += e.ln_weight;
    }
    for (Entry& e : entries_) {
      e.ln_weight /= sum;
      parts.push_back({e.ln_weight, e.mean, e.sd});
    }
    return LogMixture(std::move(parts));
  }

  double weight(std::size_t entry) const { return entries_[entry].ln_weight; }
  double level(std::size_t entry) const { return entries_[entry].level; }
  static constexpr std::size_t kEntriesPerCurve = kNoiseNodes.size();

 private:
  struct Noise {
    double ln_prior = 0;
    double variance = 0;
    std::vector<double> precision;
    double sum_precision = 0;
    double sd = 0;
  };
  struct Entry {
    double ln_weight;
    double mean;
    double sd;
    double level;
  };
  static double square(double x) { return x * x; }

  const std::vector<RecipePoint>& points_;
  const RecipeTarget& target_;
  std::vector<Noise> noise_;
  std::vector<Entry> entries_;
};

void add_power(const std::vector<RecipePoint>& points, const RecipePriors& priors,
               const RecipeTarget& target, double weight, Accumulator* sum) {
  std::vector<double> g(points.size());
  for (const Node& s : nodes(priors.slope, 41)) {
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = s.value * points[i].l;
    sum->add(weight * s.weight, g, s.value * target.l);
  }
}

void add_curved(const std::vector<RecipePoint>& points, const RecipePriors& priors,
                const RecipeTarget& target, double weight, Accumulator* sum) {
  std::vector<double> g(points.size());
  const auto at = [](double s, double k, double l) { return s * l + 0.5 * k * l * l; };
  const std::vector<Node> curvatures = nodes(priors.curvature, 21);
  for (const Node& s : nodes(priors.slope, 31))
    for (const Node& k : curvatures) {
      for (std::size_t i = 0; i < g.size(); ++i) g[i] = at(s.value, k.value, points[i].l);
      sum->add(weight * s.weight * k.weight, g, at(s.value, k.value, target.l));
    }
}

void add_two_terms(const std::vector<RecipePoint>& points, const RecipePriors& priors,
                   const RecipeTarget& target, double weight, Accumulator* sum) {
  const std::size_t n = points.size();
  const std::vector<Node> shares = nodes(priors.logit_share, 25);
  const std::vector<Node> falls = nodes(priors.fall, 11);
  const std::vector<Node> rises = nodes(priors.rise, 15);
  // u^-a and u^b once per node, the target last.
  const auto table = [&](const std::vector<Node>& list, bool rising) {
    std::vector<std::vector<double>> powers;
    for (const Node& node : list) {
      const double e = rising ? std::min(node.value, 1.0) : -node.value;
      std::vector<double> row;
      for (const RecipePoint& p : points) row.push_back(std::exp(e * (rising ? p.l_procs : p.l)));
      row.push_back(std::exp(e * (rising ? target.l_procs : target.l)));
      powers.push_back(std::move(row));
    }
    return powers;
  };
  const auto falling = table(falls, false);
  const auto rising = table(rises, true);
  std::vector<double> g(n);
  for (const Node& share : shares) {
    const double f = 1 / (1 + std::exp(-share.value));
    for (std::size_t a = 0; a < falls.size(); ++a)
      for (std::size_t b = 0; b < rises.size(); ++b) {
        const auto at = [&](std::size_t i) {
          return std::log((1 - f) * falling[a][i] + f * rising[b][i]);
        };
        for (std::size_t i = 0; i < n; ++i) g[i] = at(i);
        sum->add(weight * share.weight * falls[a].weight * rises[b].weight, g, at(n));
      }
  }
}

void add_counts(const std::vector<RecipePoint>& points, const RecipeCounts& counts,
                const RecipeTarget& target, double weight, Accumulator* sum) {
  // Unit costs hardly change with P; contention lets them drift a little.
  const std::vector<Node> drifts = nodes({0, 0.05}, 7);
  const bool two = counts.at_points.size() > 1;
  const std::vector<Node> shares = nodes({0, 2}, two ? 25 : 1);
  std::vector<double> g(points.size());
  for (const Node& share : shares) {
    const double p = two ? 1 / (1 + std::exp(-share.value)) : 0;
    const auto level = [&](double first, double second) {
      return std::log(std::max((1 - p) * first + p * second, 1e-300));
    };
    for (const Node& drift : drifts) {
      for (std::size_t i = 0; i < g.size(); ++i)
        g[i] = level(counts.at_points[0][i], two ? counts.at_points[1][i] : 0) +
               drift.value * points[i].l_procs;
      sum->add(weight * share.weight * drift.weight, g,
               level(counts.at_target[0], two ? counts.at_target[1] : 0) +
                   drift.value * target.l_procs);
    }
  }
}

/// Posterior share of one count family, and the mean of p in it.
void summarise_counts(const Accumulator& sum, std::size_t begin, std::size_t end, bool two,
                      RecipeResult* result) {
  const std::vector<Node> shares = nodes({0, 2}, two ? 25 : 1);
  const std::size_t per_share = 7 * Accumulator::kEntriesPerCurve;
  double weight = 0;
  double p_mean = 0;
  for (std::size_t e = begin; e < end; ++e) {
    weight += sum.weight(e);
    if (two)
      p_mean += sum.weight(e) / (1 + std::exp(-shares[(e - begin) / per_share].value));
  }
  result->count_posterior.push_back(weight);
  result->count_share.push_back(two && weight > 0 ? p_mean / weight : 0);
}

}  // namespace

RecipePriors recipe_priors(const std::string& name, bool in_work) {
  RecipePriors p;
  if (name == "leaf") {
    p.slope = {-0.7, 0.4};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.rise = {-0.2, 0.4};
  } else if (name == "communication") {
    // Bytes per rank fall, latencies stay, trees grow with log P, waiting does as the program likes.
    p.slope = {-0.2, 0.5};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.fall = {0.8, 0.2};
    p.rise = {0.1, 0.4};
  } else if (name == "overhead") {
    // Starting and ending more processes takes a little longer.
    p.slope = {0.15, 0.25};
    p.curvature = {0.02, 0.05};
    p.logit_share = {1, 1};
    p.fall = {0.5, 0.3};
    p.rise = {0.2, 0.3};
  } else if (name == "off-cpu") {
    p.slope = {-0.5, 0.5};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.rise = {-0.2, 0.4};
  } else if (name != "total") {
    throw InputError("", "no set of priors is called '" + name + "'");
  }
  if (in_work) {
    p.weight_p = 0;
    p.weight_q = 2.0 / 3;
    p.weight_t = 1.0 / 3;
  }
  return p;
}

RecipeResult extrapolate(const std::vector<RecipePoint>& points, const RecipePriors& priors,
                         const NoisePrior& noise, const RecipeTarget& target,
                         const std::vector<RecipeCounts>& counts) {
  Accumulator sum(points, noise, target);
  const double curves = counts.empty() ? 1 : 1 - kCountWeight;
  if (priors.weight_p > 0) add_power(points, priors, target, curves * priors.weight_p, &sum);
  if (priors.weight_q > 0) add_curved(points, priors, target, curves * priors.weight_q, &sum);
  if (priors.weight_t > 0) add_two_terms(points, priors, target, curves * priors.weight_t, &sum);
  std::vector<std::size_t> begins;
  for (const RecipeCounts& family : counts) {
    begins.push_back(sum.size());
    add_counts(points, family, target, kCountWeight * family.prior, &sum);
  }
  begins.push_back(sum.size());
  RecipeResult result;
  result.mixture = sum.finish();
  for (std::size_t i = 0; i < counts.size(); ++i)
    summarise_counts(sum, begins[i], begins[i + 1], counts[i].at_points.size() > 1, &result);
  for (std::size_t e = 0; e < sum.size(); ++e) result.ln_level += sum.weight(e) * sum.level(e);
  return result;
}

}  // namespace apmt
