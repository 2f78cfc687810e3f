#include "fitter/recipe_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace apmt {
namespace {

constexpr double kSameTime = 1e6;  // of ln T far ahead, so many are told apart in one unit
constexpr double kFarthest = 700;
constexpr std::int64_t kMostEntries = std::int64_t{1} << 20;

double square(double x) { return x * x; }

}  // namespace

void CurveValues::set_target(const Key& key) {
  if (key == key_) return;
  key_ = key;
  values_.clear();
}

double& CurveValues::at(std::size_t curve) {
  if (curve >= values_.size()) values_.resize(curve + 1, std::numeric_limits<double>::quiet_NaN());
  return values_[curve];
}

RecipeNodes::RecipeNodes(const RecipePosterior& p, const RecipeTarget& far_ahead)
    : points_(p.points_),
      plain_(p.plain_),
      widening_(p.widening_),
      wander_(p.wander_),
      noise_(p.noise_),
      table_(p.table_) {
  // Sorted by whole numbers, so that another program with another rounding finds the same order.
  std::vector<std::int64_t> order;
  order.reserve(p.entries_.size());
  std::size_t curve = SIZE_MAX;
  double value = 0;
  for (std::size_t i = 0; i < p.entries_.size(); ++i) {
    const RecipePosterior::Entry& e = p.entries_[i];
    if (e.curve != curve) value = curve_value(p.curve(curve = e.curve), p.plain_, far_ahead);
    const double place =
        std::floor(std::clamp(value + e.level, -kFarthest, kFarthest) * kSameTime + 0.5);
    order.push_back(static_cast<std::int64_t>(place) * kMostEntries + static_cast<std::int64_t>(i));
  }
  std::sort(order.begin(), order.end());
  std::size_t at = 0;
  std::size_t last = order.size();
  double cumulated = p.entries_[static_cast<std::size_t>(order[0] & (kMostEntries - 1))].weight;
  for (std::size_t stratum = 0; stratum < kDraws; ++stratum) {
    const double middle = (static_cast<double>(stratum) + 0.5) / kDraws;
    while (cumulated < middle && at + 1 < order.size())
      cumulated += p.entries_[static_cast<std::size_t>(order[++at] & (kMostEntries - 1))].weight;
    if (at != last) {
      const auto& e = p.entries_[static_cast<std::size_t>(order[last = at] & (kMostEntries - 1))];
      Node node{.level = e.level,
                .curve = static_cast<std::uint32_t>(e.curve),
                .noise = static_cast<std::uint16_t>(e.noise),
                .carries_its_uncertainty = p.curve(e.curve).carries_its_uncertainty()};
      if (e.curve >= table_->curves.size()) {
        node.curve = static_cast<std::uint32_t>(table_->curves.size() + of_counts_.size());
        of_counts_.push_back(p.curve(e.curve));
      }
      nodes_.push_back(node);
      for (std::size_t i = 0; i < points_.size() && wander_ > 0; ++i)
        misses_.push_back(points_[i].y - p.at_points(e.curve)[i] - e.level);
    }
    node_of_[stratum] = static_cast<std::uint16_t>(nodes_.size() - 1);
  }
}

std::vector<Wandered> RecipeNodes::wandered(const RecipeTarget& target) const {
  std::vector<Wandered> all;
  all.reserve(noise_.size());
  for (const RecipeNoise& n : noise_) all.push_back(wandered_to(target.l, wander_, points_, n));
  return all;
}

const RecipeCurve& RecipeNodes::curve(std::size_t index) const {
  const std::size_t shared = table_->curves.size();
  return index < shared ? table_->curves[index] : of_counts_[index - shared];
}

std::vector<double> RecipeNodes::means(const RecipeTarget& target, CurveValues* values,
                                       const std::vector<Wandered>& wandered) const {
  const std::size_t shared = table_->curves.size();
  std::vector<double> means;
  means.reserve(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    double value = 0;
    if (values == nullptr || node.curve >= shared) {
      value = curve_value(curve(node.curve), plain_, target);
    } else {
      double& at_target = values->at(node.curve);
      if (std::isnan(at_target))
        at_target = curve_value(curve(node.curve), plain_, target) - target.shift;
      value = at_target + target.shift;
    }
    const std::vector<double>& follows = wandered[node.noise].follows;
    double mean = value + node.level;
    for (std::size_t i = 0; i < follows.size(); ++i)
      mean += follows[i] * misses_[n * points_.size() + i];
    means.push_back(mean);
  }
  return means;
}

void RecipeNodes::draw(const RecipeTarget& target, const DrawPlaces& places, CurveValues* values,
                       Draws* ln_times) const {
  const std::vector<Wandered> all = wandered(target);
  const std::vector<double> means = this->means(target, values, all);
  std::vector<double> noise_sd;
  noise_sd.reserve(noise_.size());
  std::vector<double> straying_sd;  // of laws that carry their own uncertainty, then of the others
  for (std::size_t i = 0; i < noise_.size(); ++i)
    noise_sd.push_back(std::sqrt(noise_[i].variance + all[i].level_variance));
  for (const double widening : {kPlainWidening, widening_})
    for (const Wandered& w : all)
      straying_sd.push_back(
          std::sqrt(std::max(w.walk_variance, 0.0) + square(widening * target.distance)));
  struct Spread {
    double mean, noise, straying;
  };
  std::vector<Spread> spreads;
  spreads.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::size_t n = nodes_[i].noise;
    spreads.push_back({means[i], noise_sd[n],
                       straying_sd[n + (nodes_[i].carries_its_uncertainty ? 0 : noise_.size())]});
  }
  const Draws& normals = stratum_normals();
  for (std::size_t k = 0; k < kDraws; ++k) {
    const Spread& s = spreads[node_of_[places.curve[k]]];
    (*ln_times)[k] =
        s.mean + s.noise * normals[places.noise[k]] + s.straying * normals[places.straying[k]];
  }
  if (target.extra_sd == 0) return;
  const Strata& sizes = common_size();
  for (std::size_t k = 0; k < kDraws; ++k) (*ln_times)[k] += target.extra_sd * normals[sizes[k]];
}

double RecipeNodes::mean_at(const RecipeTarget& target) const {
  const std::vector<Wandered> all = wandered(target);
  const std::vector<double> means = this->means(target, nullptr, all);
  double sum = 0;
  for (const std::uint16_t node : node_of_) sum += means[node];
  return sum / kDraws;
}

}  // namespace apmt
