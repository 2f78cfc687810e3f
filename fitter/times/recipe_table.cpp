#include "fitter/times/recipe_table.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr std::size_t kTablesKept = 8;

class TableMaker {
 public:
  TableMaker(const RecipeGrids& grids, std::vector<PointPlace> places) {
    table_.grids = grids;
    table_.places = std::move(places);
    values_.resize(table_.places.size());
    add_plain();
    table_.plain = table_.curves.size();
    if (grids.two_terms < 1) add_power();
    if (grids.two_terms > 0) add_two_terms();
  }
  RecipeTable table() { return std::move(table_); }

 private:
  using Family = RecipeCurve::Family;

  /// Adds a curve; its values at the points are in values_.
  void add(double weight, const RecipeCurve& curve) {
    table_.curves.push_back(curve);
    table_.ln_weights.push_back(std::log(weight));
    table_.at_points.insert(table_.at_points.end(), values_.begin(), values_.end());
  }

  void add_plain() {
    const std::vector<PlainLaw>& laws = table_.grids.plain;
    for (std::size_t i = 0; i < laws.size(); ++i)
      for (const GridNode& f : second_nodes(table_.grids, laws[i].second)) {
        for (std::size_t j = 0; j < values_.size(); ++j) {
          const PointPlace& p = table_.places[j];
          values_[j] = p.shift + plain_value(laws[i], f.value, p.l, p.l_procs, p.max_procs);
        }
        add(laws[i].weight * f.weight, {Family::kPlain, i, f.value, 0, 0});
      }
  }

  void add_power() {
    for (const GridNode& s : table_.grids.slope) {
      for (std::size_t i = 0; i < values_.size(); ++i)
        values_[i] = table_.places[i].shift + s.value * table_.places[i].l;
      add((1 - table_.grids.two_terms) * s.weight, {Family::kPower, 0, s.value, 0, 0});
    }
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
        for (std::size_t b = 0; b < rises.size(); ++b) {
          for (std::size_t i = 0; i < values_.size(); ++i)
            values_[i] = table_.places[i].shift +
                         std::log((1 - f.value) * falling[a][i] + f.value * rising[b][i]);
          add(table_.grids.two_terms * f.weight * falls[a].weight * rises[b].weight,
              {Family::kTwoTerms, 0, f.value, falls[a].value, rises[b].value});
        }
  }

  RecipeTable table_;
  std::vector<double> values_;
};

}  // namespace

std::shared_ptr<const RecipeTable> recipe_table(const RecipeGrids& grids,
                                                const std::vector<RecipePoint>& points) {
  thread_local std::vector<std::shared_ptr<const RecipeTable>> kept;  // most recently used first
  std::vector<PointPlace> places;
  for (const RecipePoint& p : points) places.push_back({p.l, p.l_procs, p.max_procs, p.shift});
  auto table = std::find_if(kept.begin(), kept.end(), [&](const auto& t) {
    return t->places == places && t->grids == grids;
  });
  if (table == kept.end()) {
    if (kept.size() == kTablesKept) kept.pop_back();
    table = kept.insert(
        kept.end(), std::make_shared<RecipeTable>(TableMaker(grids, std::move(places)).table()));
  }
  std::rotate(kept.begin(), table, table + 1);
  return kept.front();
}

}  // namespace apmt
