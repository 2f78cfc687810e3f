#include "fitter/times/recipe_table.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr std::size_t kTablesKept = 8;
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

/// The grid for the second term of a plain law.
std::vector<GridNode> second_nodes(const RecipeGrids& grids, PlainLaw::Second second) {
  if (second == PlainLaw::Second::kNone) return {{0, 1}};
  return second == PlainLaw::Second::kOthers ? grids.own_part : grids.second_share;
}

class TableMaker {
 public:
  TableMaker(const RecipeGrids& grids, std::vector<PointPlace> places) {
    table_.grids = grids;
    table_.places = std::move(places);
    add_plain();
    table_.plain = table_.curves.size();
    if (grids.two_terms < 1) add_power();
    if (grids.two_terms > 0) add_two_terms();
  }
  RecipeTable table() { return std::move(table_); }

 private:
  using Family = RecipeCurve::Family;

  /// Adds a curve; `value` gives its value at a place, without the shift.
  template <typename Value>
  void add(double weight, const RecipeCurve& curve, const Value& value) {
    table_.curves.push_back(curve);
    table_.ln_weights.push_back(std::log(weight));
    for (std::size_t i = 0; i < table_.places.size(); ++i)
      table_.at_points.push_back(table_.places[i].shift + value(i));
  }

  void add_plain() {
    const std::vector<PlainLaw>& laws = table_.grids.plain;
    for (std::size_t law = 0; law < laws.size(); ++law)
      for (const GridNode& f : second_nodes(table_.grids, laws[law].second))
        add(laws[law].weight * f.weight, {Family::kPlain, law, f.value, 0, 0}, [&](std::size_t i) {
          const PointPlace& p = table_.places[i];
          return plain_value(laws[law], f.value, p.l, p.l_procs, p.max_procs);
        });
  }

  void add_power() {
    for (const GridNode& s : table_.grids.slope)
      add((1 - table_.grids.two_terms) * s.weight, {Family::kPower, 0, s.value, 0, 0},
          [&](std::size_t i) { return s.value * table_.places[i].l; });
  }

  void add_two_terms() {
    const std::vector<GridNode>& falls = table_.grids.fall;
    const std::vector<GridNode>& rises = table_.grids.rise;
    // u^-a and u^b, calculated once for each node.
    std::vector<std::vector<double>> falling;
    std::vector<std::vector<double>> rising;
    for (const GridNode& a : falls) {
      falling.emplace_back();
      for (const PointPlace& p : table_.places) falling.back().push_back(std::exp(-a.value * p.l));
    }
    for (const GridNode& b : rises) {
      rising.emplace_back();
      for (const PointPlace& p : table_.places)
        rising.back().push_back(std::exp(ln_beside(b.value, p.l, p.l_procs)));
    }
    for (const GridNode& f : table_.grids.share)
      for (std::size_t a = 0; a < falls.size(); ++a)
        for (std::size_t b = 0; b < rises.size(); ++b)
          add(table_.grids.two_terms * f.weight * falls[a].weight * rises[b].weight,
              {Family::kTwoTerms, 0, f.value, falls[a].value, rises[b].value}, [&](std::size_t i) {
                return std::log((1 - f.value) * falling[a][i] + f.value * rising[b][i]);
              });
  }

  RecipeTable table_;
};

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
  std::vector<PointPlace> places;
  for (const RecipePoint& p : points) places.push_back({p.l, p.l_procs, p.max_procs, p.shift});
  auto table = std::ranges::find_if(
      kept, [&](const auto& t) { return t->places == places && t->grids == grids; });
  if (table == kept.end()) {
    if (kept.size() == kTablesKept) kept.pop_back();
    table = kept.insert(
        kept.end(), std::make_shared<RecipeTable>(TableMaker(grids, std::move(places)).table()));
  }
  std::rotate(kept.begin(), table, table + 1);
  return kept.front();
}

}  // namespace apmt
