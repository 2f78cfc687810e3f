#include "fitter/times/recipe_grids.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr double kHalfWidth = 2.6;  // the grid spans mean +- 2.6 sd

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

double share(double logit) { return 1 / (1 + std::exp(-logit)); }

/// Nodes of a share whose logit is normal.
std::vector<GridNode> share_nodes(const NormalPrior& logit, int count) {
  std::vector<GridNode> list = nodes(logit, count);
  for (GridNode& node : list) node.value = share(node.value);
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
  g.widening = priors.widening;
  g.wander = priors.wander;
  g.accident = priors.accident;
  return g;
}

std::vector<GridNode> second_nodes(const RecipeGrids& grids, PlainLaw::Second second) {
  if (second == PlainLaw::Second::kNone) return {{0, 1}};
  return second == PlainLaw::Second::kOthers ? grids.own_part : grids.second_share;
}

}  // namespace apmt
