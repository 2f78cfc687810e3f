#include "fitter/times/recipe_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include "base/square.h"
#include "fitter/mechanisms.h"

namespace apmt {
namespace {

constexpr double kSameTime = 1e6;  // 1 / smallest difference of ln T far ahead that matters
constexpr double kMostLnTime = 700;
constexpr std::int64_t kMostEntries = std::int64_t{1} << 20;

/// A cache of the values that the curves of a table have at process counts far beyond the profiled
/// ones. Most kernels of a program have the same table and the same target, so each thread keeps
/// only the values for the target that it used last.
class ValuesAhead {
 public:
  void begin(const RecipeBasis& basis, const RecipeTarget& target) {
    const std::tuple key(target.l, target.l_procs, target.max_procs, target.shift,
                         mechanisms().steepest_slope);
    if (table_ == basis.table && key == key_ && plain_ == basis.plain) return;
    table_ = basis.table;
    key_ = key;
    plain_ = basis.plain;
    values_.assign(table_->curves.size(), std::numeric_limits<double>::quiet_NaN());
  }

  /// The value of a curve. `basis` and `target` must be those of the last call to begin().
  double of(std::size_t curve, const RecipeBasis& basis, const RecipeTarget& target) {
    if (curve >= values_.size()) return curve_value(basis.curve(curve), basis.plain, target);
    double& value = values_[curve];
    if (std::isnan(value)) value = curve_value(basis.curve(curve), basis.plain, target);
    return value;
  }

 private:
  std::shared_ptr<const RecipeTable> table_;
  std::tuple<double, double, double, double, bool> key_;  // what else the values depend on
  std::vector<PlainLaw> plain_;
  std::vector<double> values_;  // NaN until calculated
};

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

bool is_by_costs(const RecipeCurve& curve, const RecipeTarget& target) {
  return curve.family == RecipeCurve::Family::kCounts && !target.of_ways.empty() &&
         curve.index + 1 == target.counts.size();
}

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
    : basis_(p.basis_) {
  basis_.of_counts.clear();
  for (const RecipeNoise& n : basis_.noise) wanders_ |= n.wander.among > 0;
  // Entries are sorted by whole numbers: ln T far beyond the points, in steps of 1 / kSameTime, and
  // then the index. So the HTML page (evaluation_table.h), whose arithmetic rounds differently,
  // finds the same order.
  std::vector<std::int64_t> order;
  order.reserve(p.entries_.size());
  thread_local ValuesAhead ahead;
  ahead.begin(p.basis_, far_ahead);
  std::size_t curve = SIZE_MAX;
  double value = 0;
  for (std::size_t i = 0; i < p.entries_.size(); ++i) {
    const RecipePosterior::Entry& e = p.entries_[i];
    if (e.curve != curve) value = ahead.of(curve = e.curve, p.basis_, far_ahead);
    const double place =
        std::floor(std::clamp(value + e.level, -kMostLnTime, kMostLnTime) * kSameTime + 0.5);
    order.push_back(static_cast<std::int64_t>(place) * kMostEntries + static_cast<std::int64_t>(i));
  }
  std::ranges::sort(order);
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
                .carries_its_uncertainty = p.basis_.curve(e.curve).carries_its_uncertainty(),
                .is_by_costs = is_by_costs(p.basis_.curve(e.curve), far_ahead)};
      if (e.curve >= basis_.table->curves.size()) {
        node.curve =
            static_cast<std::uint32_t>(basis_.table->curves.size() + basis_.of_counts.size());
        basis_.of_counts.push_back(p.basis_.curve(e.curve));
      }
      nodes_.push_back(node);
      for (std::size_t i = 0; i < basis_.points.size() && wanders_; ++i)
        misses_.push_back(basis_.points[i].y - p.at_points(e.curve)[i] - e.level);
    }
    node_of_[stratum] = static_cast<std::uint16_t>(nodes_.size() - 1);
  }
  basis_.of_counts.shrink_to_fit();
  for (const RecipeNoise& n : basis_.noise)
    noise_sd_ahead_.push_back(std::sqrt(n.variance + 1 / n.sum_precision));
}

std::vector<double> RecipeNodes::means(const RecipeTarget& target, CurveValues* values,
                                       const std::vector<Wandered>& wandered) const {
  const std::size_t shared = basis_.table->curves.size();
  std::vector<double> means;
  means.reserve(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    double value = 0;
    if (values == nullptr || node.curve >= shared) {
      value = curve_value(basis_.curve(node.curve), basis_.plain, target);
    } else {
      double& at_target = values->at(node.curve);
      if (std::isnan(at_target))
        at_target = curve_value(basis_.curve(node.curve), basis_.plain, target) - target.shift;
      value = at_target + target.shift;
    }
    double mean = value + node.level;
    if (!wandered.empty()) {
      const std::vector<double>& follows = wandered[node.noise].follows;
      for (std::size_t i = 0; i < follows.size(); ++i)
        mean += follows[i] * misses_[n * basis_.points.size() + i];
    }
    means.push_back(mean);
  }
  return means;
}

RecipeNodes::Deviations RecipeNodes::deviations(const RecipeTarget& target) const {
  Deviations d;
  if (follows_points(target)) {
    d.wandered = basis_.wandered(target.l);
    for (std::size_t i = 0; i < basis_.noise.size(); ++i)
      d.noise_sd.push_back(std::sqrt(basis_.noise[i].variance + d.wandered[i].level_variance));
  } else {
    d.noise_sd = noise_sd_ahead_;
  }
  for (const double widening : {basis_.plain_widening, basis_.widening})
    for (std::size_t i = 0; i < basis_.noise.size(); ++i) {
      const double walk_variance = d.wandered.empty()
                                       ? wandered(basis_.noise[i].wander, target.l, target.l)
                                       : d.wandered[i].walk_variance;
      d.straying_sd.push_back(
          std::sqrt(std::max(walk_variance, 0.0) + square(widening * target.distance)));
    }
  return d;
}

void RecipeNodes::draw(const RecipeTarget& target, const DrawPlaces& places, CurveValues* values,
                       Draws* ln_times) const {
  const Deviations d = deviations(target);
  const std::vector<double> means = this->means(target, values, d.wandered);
  struct Spread {
    double mean, noise, straying;
  };
  std::vector<Spread> spreads;
  spreads.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::size_t n = nodes_[i].noise;
    spreads.push_back(
        {means[i], d.noise_sd[n],
         d.straying_sd[n + (nodes_[i].carries_its_uncertainty ? 0 : basis_.noise.size())]});
  }
  const Draws& normals = stratum_normals();
  const auto ways = ways_of_draws(target.of_ways.size());
  for (std::size_t k = 0; k < kDraws; ++k) {
    const std::uint16_t node = node_of_[places.curve[k]];
    const Spread& s = spreads[node];
    (*ln_times)[k] =
        s.mean + s.noise * normals[places.noise[k]] + s.straying * normals[places.straying[k]];
    if (nodes_[node].is_by_costs) (*ln_times)[k] += target.of_ways[ways[k]];
  }
  for (std::size_t k = 0; k < kDraws && !target.cached.empty(); ++k)
    (*ln_times)[k] += target.cached[ways[k]];
  for (std::size_t k = 0; k < kDraws && target.changes_messages(); ++k)
    if (!nodes_[node_of_[places.curve[k]]].carries_its_uncertainty)
      (*ln_times)[k] += ln_messages((places.change[k] + 0.5) / kDraws, target);
  const UnseenChange& change = basis_.change;
  if (const double chance = change.chance_at(target.distance); chance > 0)
    for (std::size_t k = 0; k < kDraws; ++k) {
      const double place = (places.change[k] + 0.5) / chance;
      if (place < kDraws && nodes_[node_of_[places.curve[k]]].carries_its_uncertainty)
        (*ln_times)[k] +=
            change.ln_factor.mean + change.ln_factor.sd * normals[static_cast<std::size_t>(place)];
    }
  if (target.extra_sd == 0) return;
  const Strata& sizes = common_size();
  for (std::size_t k = 0; k < kDraws; ++k) (*ln_times)[k] += target.extra_sd * normals[sizes[k]];
}

double RecipeNodes::mean_at(const RecipeTarget& target) const {
  const std::vector<Wandered> wandered =
      follows_points(target) ? basis_.wandered(target.l) : std::vector<Wandered>{};
  const std::vector<double> means = this->means(target, nullptr, wandered);
  const double of_curves = target.changes_messages() ? mean_ln_messages(target) : 0;
  double sum = 0;
  for (const std::uint16_t node : node_of_)
    sum += means[node] + (nodes_[node].carries_its_uncertainty ? 0 : of_curves);
  return sum / kDraws;
}

}  // namespace apmt
