// The fixed grids of the curves (recipe.h) with prior weights, and the curves of a posterior, each
// with its values at the points where a time was measured.
#pragma once

#include <memory>
#include <vector>

#include "fitter/times/recipe_curves.h"
#include "fitter/times/recipe_priors.h"

namespace apmt {

struct GridNode {
  double value = 0;
  double weight = 0;
  bool operator==(const GridNode&) const = default;
};

/// The grids of all families, with prior weights. Laws with equal grids and points can share a
/// RecipeTable.
struct RecipeGrids {
  double two_terms = 0;  // as in the priors
  std::vector<GridNode> slope;
  std::vector<GridNode> share;  // f, not its logit
  std::vector<GridNode> fall;
  std::vector<GridNode> rise;
  std::vector<PlainLaw> plain;
  std::vector<GridNode> second_share;  // of a plain law's second term
  std::vector<GridNode> own_part;      // g of PlainLaw::Second::kOthers
  std::vector<GridNode> count_share;   // p of two counts
  bool operator==(const RecipeGrids&) const = default;
};
RecipeGrids recipe_grids(const RecipePriors& priors);

struct RecipeTable {
  RecipeGrids grids;
  std::vector<RecipePoint> places;  // the points without measured values
  std::vector<RecipeCurve> curves;
  std::vector<double> ln_weights;  // prior; normalised within plain laws and within other curves
  std::size_t plain = 0;           // number of plain laws, which come first
  std::vector<double> at_points;   // one curve after the other
};

/// The table for these grids and points. The points of all kernels of a program have the same
/// coordinates, so each thread keeps the tables that it used last.
std::shared_ptr<const RecipeTable> recipe_table(const RecipeGrids& grids,
                                                const std::vector<RecipePoint>& points);

}  // namespace apmt
