#include "fitter/times/recipe_table.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr std::size_t kTablesKept = 8;
constexpr double kHalfWidth = 2.6;  // the grid spans mean +- 2.6 sd

/// Equally spaced nodes with normal weights; the weights add up to 1.
std::vector<GridNode> nodes(const NormalPrior& prior, int count) {
  std::vector<GridNode> list;
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double z = -kHalfWidth + 2 * kHalfWidth * i / (count - 1);
    list.push_back({prior.mean + prior.sd * z, std::exp(-0.5 * z * z)});
    sum += list.back().weight;
  }
  for (GridNode& node : list) node.weight /= sum;
  return list;
}

/// Nodes of a share whose logit is normal.
std::vector<GridNode> share_nodes(const NormalPrior& logit, int count) {
  std::vector<GridNode> list = nodes(logit, count);
  for (GridNode& node : list) node.value = 1 / (1 + std::exp(-node.value));
  return list;
}

/// The grid of g in the factor 1 - g / P. The values 1/2 (pairs counted once) and 1 (all others)
/// have a quarter of the weight each; the rest is spread evenly over (0, 1].
std::vector<GridNode> own_parts() {
  constexpr int kParts = 20;
  std::vector<GridNode> list;
  for (int i = 1; i <= kParts; ++i)
    list.push_back({static_cast<double>(i) / kParts,
                    0.5 / kParts + (i == kParts / 2 || i == kParts ? 0.25 : 0)});
  return list;
}

/// The grid for the second term of a plain law.
std::vector<GridNode> second_nodes(const RecipeGrids& grids, PlainLaw::Second second) {
  if (second == PlainLaw::Second::kNone) return {{0, 1}};
  return second == PlainLaw::Second::kOthers ? grids.own_part : grids.second_share;
}

std::shared_ptr<const RecipeTable> made_table(const RecipeGrids& grids,
                                              const std::vector<RecipePoint>& places) {
  using Family = RecipeCurve::Family;
  std::vector<RecipeTarget> targets;
  for (const RecipePoint& p : places)
    targets.push_back(
        {.l = p.l, .l_procs = p.l_procs, .max_procs = p.max_procs, .shift = p.shift, .counts = {}});
  const auto table = std::make_shared<RecipeTable>();
  table->grids = grids;
  table->places = places;
  const auto add = [&](double weight, const RecipeCurve& curve) {
    table->curves.push_back(curve);
    table->ln_weights.push_back(std::log(weight));
    for (const RecipeTarget& target : targets)
      table->at_points.push_back(curve_value(curve, grids.plain, target));
  };
  for (std::size_t law = 0; law < grids.plain.size(); ++law)
    for (const GridNode& f : second_nodes(grids, grids.plain[law].second))
      add(grids.plain[law].weight * f.weight, {Family::kPlain, law, f.value, 0, 0});
  table->plain = table->curves.size();
  if (grids.two_terms < 1)
    for (const GridNode& s : grids.slope)
      add((1 - grids.two_terms) * s.weight, {Family::kPower, 0, s.value, 0, 0});
  if (grids.two_terms > 0)
    for (const GridNode& f : grids.share)
      for (const GridNode& a : grids.fall)
        for (const GridNode& b : grids.rise)
          add(grids.two_terms * f.weight * a.weight * b.weight,
              {Family::kTwoTerms, 0, f.value, a.value, b.value});
  return table;
}

}  // namespace

RecipeGrids recipe_grids(const RecipePriors& priors) {
  RecipeGrids g;
  g.two_terms = priors.two_terms;
  g.slope = nodes(priors.slope, 41);
  for (GridNode& slope : g.slope) slope.weight *= 1 - priors.perfect;
  if (priors.perfect > 0) g.slope.push_back({-1, priors.perfect});
  g.share = share_nodes(priors.logit_share, 25);
  g.fall = nodes(priors.fall, 7);
  g.rise = nodes(priors.rise, 11);
  for (GridNode& b : g.rise) b.value = std::min(b.value, 1.0);
  g.plain = priors.plain;
  // With 161 nodes, neighbouring nodes differ by up to 1.6 % of the kernel's time at P_max. With a
  // quarter as many nodes, the true share of the second term could lie between two nodes. If the
  // kernel's times had little noise, neither node fitted them, and predictions at 16 times P_max,
  // made from the nearest node, were up to 50 % wrong.
  g.second_share = share_nodes(priors.logit_second, 161);
  g.own_part = own_parts();
  g.count_share = share_nodes(common_priors().logit_count, 101);
  return g;
}

std::shared_ptr<const RecipeTable> recipe_table(const RecipeGrids& grids,
                                                const std::vector<RecipePoint>& points) {
  thread_local std::vector<std::shared_ptr<const RecipeTable>> kept;  // most recently used first
  std::vector<RecipePoint> places = points;
  for (RecipePoint& p : places) p.y = p.extra_sigma = 0;
  auto table = std::ranges::find_if(
      kept, [&](const auto& t) { return t->places == places && t->grids == grids; });
  if (table == kept.end()) {
    if (kept.size() == kTablesKept) kept.pop_back();
    table = kept.insert(kept.end(), made_table(grids, places));
  }
  std::rotate(kept.begin(), table, table + 1);
  return kept.front();
}

}  // namespace apmt
