// The exact prediction of the recipe (fitter/times/recipe.h): a mixture of normal distributions of
// ln T. The program uses 512 draws instead (fitter/times/recipe_nodes.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/square.h"
#include "fitter/times/recipe.h"

namespace apmt {

/// One component of a mixture: weight * N(mean, sd^2) of ln T.
struct LogNormalPart {
  double weight = 0;
  double mean = 0;
  double sd = 0;
};

/// Collects components with the same standard deviation. Merges those whose means lie in the same
/// cell of width sd/25. Merging keeps the total weight, the mean and the variance.
class PartGrid {
 public:
  PartGrid(double sd, double lowest_mean, double highest_mean) : sd_(sd), lowest_(lowest_mean) {
    const double range = highest_mean - lowest_mean;
    const double cells = std::min(range / sd * 25, 20000.0);
    width_ = cells >= 1 ? range / cells : std::max(range, 1e-300);
    cells_.resize(static_cast<std::size_t>(cells) + 2);
  }

  void add(double weight, double mean) {
    const double at = (mean - lowest_) / width_;
    Cell& cell = cells_[static_cast<std::size_t>(at)];
    const double d = mean - lowest_ - width_ * std::floor(at);
    cell.weight += weight;
    cell.first += weight * d;
    cell.second += weight * d * d;
  }

  void append_to(std::vector<LogNormalPart>* parts) const {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Cell& cell = cells_[i];
      if (cell.weight <= 0) continue;
      const double d = cell.first / cell.weight;
      const double variance = std::max(cell.second / cell.weight - d * d, 0.0);
      parts->push_back({cell.weight, lowest_ + width_ * static_cast<double>(i) + d,
                        std::sqrt(sd_ * sd_ + variance)});
    }
  }

 private:
  struct Cell {
    double weight = 0;
    double first = 0;   // sum of weight * d, d = distance from the cell's lower edge
    double second = 0;  // sum of weight * d^2
  };
  double sd_;
  double lowest_;
  double width_;
  std::vector<Cell> cells_;
};

class LogMixture {
 public:
  /// The weights of `parts` need not add up to 1.
  explicit LogMixture(std::vector<LogNormalPart> parts) : parts_(std::move(parts)) {
    double total = 0;
    for (const LogNormalPart& p : parts_) total += p.weight;
    for (LogNormalPart& p : parts_) p.weight /= total;
  }

  double mean() const {
    double sum = 0;
    for (const LogNormalPart& p : parts_) sum += p.weight * p.mean;
    return sum;
  }

  /// The q quantile of ln T for 0 < q < 1, accurate to 1e-10. Newton's method searches between the
  /// smallest and the largest quantile of the parts; bisection guarantees that it converges.
  double ln_quantile(double q) const {
    double low = INFINITY;
    double high = -INFINITY;
    for (const LogNormalPart& p : parts_) {
      low = std::min(low, p.mean - 9 * p.sd);
      high = std::max(high, p.mean + 9 * p.sd);
    }
    double x = mean();
    for (int i = 0; i < 200 && high - low > 1e-11; ++i) {
      double cdf = 0;
      double density = 0;
      for (const LogNormalPart& p : parts_) {
        const double z = (x - p.mean) / p.sd;
        cdf += p.weight * 0.5 * std::erfc(-z * M_SQRT1_2);
        density += p.weight * std::exp(-0.5 * z * z) / (p.sd * 2.5066282746310002);
      }
      (cdf < q ? low : high) = x;
      const double step = density > 0 ? (q - cdf) / density : INFINITY;
      if (std::abs(step) < 1e-11) break;
      x = x + step > low && x + step < high ? x + step : 0.5 * (low + high);
    }
    return x;
  }

 private:
  std::vector<LogNormalPart> parts_;  // weights add up to 1
};

/// The exact distribution of ln T at a target, apart from RecipeTarget::of_ways.
inline LogMixture exact_mixture(const RecipePosterior& posterior, const RecipeTarget& target) {
  const RecipeBasis& basis = posterior.basis();
  const std::vector<RecipeEntry>& entries = posterior.entries();
  // One PartGrid for each combination of noise and widening, and for each noise of changed times.
  const std::size_t noises = basis.noise.size();
  const std::vector<Wandered> wandered = basis.wandered(target.l);
  std::vector<double> sd;
  for (const double widening : {basis.widening, basis.plain_widening})
    for (std::size_t i = 0; i < noises; ++i)
      sd.push_back(std::sqrt(basis.noise[i].variance + wandered[i].level_variance +
                             wandered[i].walk_variance + square(widening * target.distance) +
                             square(target.extra_sd)));
  const double chance = basis.change.chance_at(target.distance);
  const NormalPrior& change = basis.change.ln_factor;
  for (std::size_t i = 0; i < noises && chance > 0; ++i)
    sd.push_back(std::hypot(sd[noises + i], change.sd));
  const auto grid_of = [&](const RecipeEntry& e) {
    return e.noise + (basis.curve(e.curve).carries_its_uncertainty() ? noises : 0);
  };
  const auto follow = [&](const RecipeEntry& e) {
    const std::vector<double>& follows = wandered[e.noise].follows;
    double sum = 0;
    for (std::size_t i = 0; i < follows.size(); ++i)
      sum += follows[i] * (basis.points[i].y - posterior.at_points(e.curve)[i] - e.level);
    return sum;
  };
  std::vector<double> means;
  means.reserve(entries.size());
  std::vector<double> lowest(sd.size(), INFINITY);
  std::vector<double> highest(sd.size(), -INFINITY);
  const RecipeEntry* last = nullptr;
  double value = 0;
  for (const RecipeEntry& e : entries) {
    if (last == nullptr || e.curve != last->curve) value = basis.value(e.curve, target);
    last = &e;
    means.push_back(value + e.level + follow(e));
    const std::size_t g = grid_of(e);
    lowest[g] = std::min(lowest[g], means.back());
    highest[g] = std::max(highest[g], means.back());
  }
  for (std::size_t g = 2 * noises; g < sd.size(); ++g) {
    lowest[g] = lowest[g - noises] + change.mean;
    highest[g] = highest[g - noises] + change.mean;
  }
  std::vector<PartGrid> grids;
  for (std::size_t g = 0; g < sd.size(); ++g)
    grids.emplace_back(sd[g], std::isinf(lowest[g]) ? 0 : lowest[g],
                       std::isinf(lowest[g]) ? 0 : highest[g]);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t g = grid_of(entries[i]);
    const double changed = g < noises ? 0 : chance;
    grids[g].add((1 - changed) * entries[i].weight, means[i]);
    if (changed > 0) grids[g + noises].add(changed * entries[i].weight, means[i] + change.mean);
  }
  std::vector<LogNormalPart> parts;
  for (const PartGrid& grid : grids) grid.append_to(&parts);
  return LogMixture(std::move(parts));
}

}  // namespace apmt
