#include "fitter/times/recipe_basis.h"

namespace apmt {

const RecipeCurve& RecipeBasis::curve(std::size_t index) const {
  const std::size_t shared = table->curves.size();
  return index < shared ? table->curves[index] : of_counts[index - shared];
}

std::vector<Wandered> RecipeBasis::wandered(double l) const {
  std::vector<Wandered> all;
  all.reserve(noise.size());
  for (const RecipeNoise& n : noise) all.push_back(wandered_to(l, points, n));
  return all;
}

}  // namespace apmt
