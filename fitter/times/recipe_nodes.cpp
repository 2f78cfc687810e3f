#include "fitter/times/recipe_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/square.h"

namespace apmt {
namespace {

constexpr double kSameTime = 1e6;  // 1 / smallest difference of ln T far ahead that matters
constexpr double kMostLnTime = 700;
constexpr std::int64_t kMostEntries = std::int64_t{1} << 20;

/// ln of the factor on a time of which `share` is latency of messages.
double ln_messages(double share, const RecipeTarget& target) {
  return std::log(share * target.latency + (1 - share) * target.volume);
}

/// Its mean over all shares from 0 to 1.
double mean_ln_messages(const RecipeTarget& target) {
  const double a = target.latency;
  const double b = target.volume;
  return a == b ? std::log(a) : (a * std::log(a) - b * std::log(b)) / (a - b) - 1;
}

}  // namespace

double CurveValues::of(std::size_t curve, const RecipeBasis& basis, const RecipeTarget& target) {
  if (curve >= basis.table->curves.size()) return basis.value(curve, target);
  const std::tuple key(target.l, target.l_procs, target.max_procs);
  if (table_ != basis.table || key_ != key) {
    table_ = basis.table;
    key_ = key;
    values_.assign(table_->curves.size(), std::numeric_limits<double>::quiet_NaN());
  }
  double& value = values_[curve];
  if (std::isnan(value)) value = basis.value(curve, target) - target.shift;
  return value + target.shift;
}

RecipeNodes::RecipeNodes(const RecipePosterior& p, const RecipeTarget& far_ahead)
    : basis_(p.basis()) {
  basis_.of_counts.clear();
  const std::size_t shared = basis_.table->curves.size();
  const bool wanders =
      std::ranges::any_of(basis_.noise, [](const RecipeNoise& n) { return n.wander.among > 0; });
  // Entries are sorted by whole numbers, ln T far beyond the points in steps of 1 / kSameTime, and
  // then by index. So the HTML page (evaluation_table.h), whose arithmetic rounds differently,
  // finds the same order.
  std::vector<std::int64_t> order;
  order.reserve(p.entries().size());
  thread_local CurveValues ahead;  // most kernels of a program have the same table and target
  std::size_t curve = SIZE_MAX;
  double value = 0;
  for (const RecipeEntry& e : p.entries()) {
    if (e.curve != curve) value = ahead.of(curve = e.curve, p.basis(), far_ahead);
    const double ln_time = std::clamp(value + e.level, -kMostLnTime, kMostLnTime);
    const auto place = static_cast<std::int64_t>(std::floor(ln_time * kSameTime + 0.5));
    order.push_back(place * kMostEntries + static_cast<std::int64_t>(order.size()));
  }
  std::ranges::sort(order);
  const auto entry = [&](std::size_t i) -> const RecipeEntry& {
    return p.entries()[static_cast<std::size_t>(order[i] & (kMostEntries - 1))];
  };
  std::size_t at = 0;
  std::size_t last = order.size();
  double cumulated = entry(0).weight;
  for (std::size_t stratum = 0; stratum < kDraws; ++stratum) {
    const double middle = (static_cast<double>(stratum) + 0.5) / kDraws;
    while (cumulated < middle && at + 1 < order.size()) cumulated += entry(++at).weight;
    if (at != last) {
      last = at;
      const RecipeEntry& e = entry(at);
      const RecipeCurve& its = p.basis().curve(e.curve);
      Node node{.level = e.level,
                .curve = static_cast<std::uint32_t>(e.curve),
                .noise = static_cast<std::uint16_t>(e.noise),
                .carries_its_uncertainty = its.carries_its_uncertainty(),
                .is_by_costs = its.family == RecipeCurve::Family::kCounts &&
                               !far_ahead.of_ways.empty() &&
                               its.index + 1 == far_ahead.counts.size()};
      if (e.curve >= shared) {
        node.curve = static_cast<std::uint32_t>(shared + basis_.of_counts.size());
        basis_.of_counts.push_back(its);
      }
      nodes_.push_back(node);
      for (std::size_t i = 0; i < basis_.points.size() && wanders; ++i)
        misses_.push_back(basis_.points[i].y - p.at_points(e.curve)[i] - e.level);
    }
    node_of_[stratum] = static_cast<std::uint16_t>(nodes_.size() - 1);
  }
  basis_.of_counts.shrink_to_fit();
}

std::vector<double> RecipeNodes::means(const RecipeTarget& target, CurveValues* values,
                                       const std::vector<Wandered>& wandered) const {
  std::vector<double> means;
  means.reserve(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const double value = values != nullptr ? values->of(node.curve, basis_, target)
                                           : basis_.value(node.curve, target);
    double mean = value + node.level;
    const std::vector<double>& follows = wandered[node.noise].follows;
    for (std::size_t i = 0; i < follows.size(); ++i)
      mean += follows[i] * misses_[n * basis_.points.size() + i];
    means.push_back(mean);
  }
  return means;
}

Draws RecipeNodes::draw(const RecipeTarget& target, const DrawPlaces& places,
                        CurveValues* values) const {
  const std::vector<Wandered> wandered = basis_.wandered(target.l);
  const std::vector<double> means = this->means(target, values, wandered);
  struct Spread {
    double noise, straying, plain_straying;
  };
  std::vector<Spread> spreads;  // by noise
  const auto straying = [&](const Wandered& w, double widening) {
    return std::sqrt(std::max(w.walk_variance, 0.0) + square(widening * target.distance));
  };
  for (std::size_t i = 0; i < wandered.size(); ++i)
    spreads.push_back({std::sqrt(basis_.noise[i].variance + wandered[i].level_variance),
                       straying(wandered[i], basis_.widening),
                       straying(wandered[i], basis_.plain_widening)});
  const Draws& normals = stratum_normals();
  const Strata& sizes = common_size();
  const Draws by_costs = in_draws(target.of_ways), cached = in_draws(target.cached);
  const NormalPrior& change = basis_.change.ln_factor;
  const double chance = basis_.change.chance_at(target.distance);
  Draws ln_times;
  for (std::size_t k = 0; k < kDraws; ++k) {
    const std::uint16_t at = node_of_[places.curve[k]];
    const Node& node = nodes_[at];
    const Spread& s = spreads[node.noise];
    double& ln_time = ln_times[k];
    ln_time = means[at] + s.noise * normals[places.noise[k]] +
              (node.carries_its_uncertainty ? s.plain_straying : s.straying) *
                  normals[places.straying[k]];
    if (node.is_by_costs) ln_time += by_costs[k];
    ln_time += cached[k];
    const double place = (places.change[k] + 0.5) / chance;
    if (chance > 0 && place < kDraws && node.carries_its_uncertainty)
      ln_time += change.mean + change.sd * normals[static_cast<std::size_t>(place)];
    if (target.changes_messages() && !node.carries_its_uncertainty)
      ln_time += ln_messages((places.change[k] + 0.5) / kDraws, target);
    ln_time += target.extra_sd * normals[sizes[k]];
  }
  return ln_times;
}

double RecipeNodes::mean_at(const RecipeTarget& target) const {
  const std::vector<double> means = this->means(target, nullptr, basis_.wandered(target.l));
  const double of_curves = target.changes_messages() ? mean_ln_messages(target) : 0;
  double sum = 0;
  for (const std::uint16_t node : node_of_)
    sum += means[node] + (nodes_[node].carries_its_uncertainty ? 0 : of_curves);
  return sum / kDraws;
}

}  // namespace apmt
