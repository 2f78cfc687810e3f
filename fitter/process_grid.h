// Counts that follow from the grids that programs lay over their processes.
#pragma once

#include <array>

#include "base/process_grid.h"
#include "fitter/law.h"

namespace apmt {

/// Every shape's name in files, in the order of the enumeration.
inline constexpr std::array<const char*, 6> kGridShapeNames = {"none",   "sides2",  "sides3",
                                                               "faces3", "around2", "around3"};

/// The value of a shape at P; for counts that are not whole numbers, that of the ideal grid
/// P^(1/d).
double grid_shape(GridShape shape, double procs);

}  // namespace apmt
