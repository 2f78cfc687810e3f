// Data that a posterior (recipe.h) shares with the nodes that are chosen from it for the draws
// (recipe_nodes.h): the points, and the assumptions about curves through them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "fitter/times/recipe_curves.h"
#include "fitter/times/recipe_table.h"

namespace apmt {

struct RecipeBasis {
  std::vector<RecipePoint> points;
  std::vector<PlainLaw> plain;
  double widening = 0;
  std::vector<RecipeNoise> noise;
  std::shared_ptr<const RecipeTable> table = {};
  std::vector<RecipeCurve> of_counts = {};  // their indices follow those of the table

  const RecipeCurve& curve(std::size_t index) const;
  /// The random walk of the slope at l, one entry for each of `noise`.
  std::vector<Wandered> wandered(double l) const;
};

}  // namespace apmt
