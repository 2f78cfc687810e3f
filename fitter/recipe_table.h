// The curves of a posterior (recipe.h), with their values at the points of a law.
#pragma once

#include <memory>
#include <vector>

#include "fitter/recipe_curves.h"
#include "fitter/recipe_grids.h"

namespace apmt {

/// The place of a point, without its measured value.
struct PointPlace {
  double l = 0;
  double l_procs = 0;
  double max_procs = 1;
  double shift = 0;
  bool operator==(const PointPlace&) const = default;
};

struct RecipeTable {
  RecipeGrids grids;
  std::vector<PointPlace> places;
  std::vector<RecipeCurve> curves;
  std::vector<double> ln_weights;  // prior, within the plain laws or within the other curves
  std::size_t plain = 0;           // so many curves, the first ones, are plain laws
  std::vector<double> at_points;   // curve by curve
};

/// Kernels of a program have points at the same places, so each thread keeps its last
/// tables.
std::shared_ptr<const RecipeTable> recipe_table(const RecipeGrids& grids,
                                                const std::vector<RecipePoint>& points);

}  // namespace apmt
