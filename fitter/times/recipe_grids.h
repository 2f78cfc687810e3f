// The fixed grids of the curves (recipe.h), with prior weights.
#pragma once

#include <vector>

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
  double widening = 0;                 // of curves, as in the priors
  Wander wander;
  double accident = 0;
  bool operator==(const RecipeGrids&) const = default;
};
RecipeGrids recipe_grids(const RecipePriors& priors);

/// The grid for the second term of a plain law.
std::vector<GridNode> second_nodes(const RecipeGrids& grids, PlainLaw::Second second);

}  // namespace apmt
