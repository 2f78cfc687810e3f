// Values of grid shapes (law.h): counts that follow from the grid in which a program arranges its
// processes.
#pragma once

#include <array>

#include "base/process_grid.h"
#include "fitter/laws/law.h"

namespace apmt {

/// The name of every shape in files, in the order of the enumeration.
inline constexpr std::array<const char*, 6> kGridShapeNames = {"none",   "sides2",  "sides3",
                                                               "faces3", "around2", "around3"};

/// The value of a shape at P. If P is not a whole number, the ideal grid of d dimensions with sides
/// P^(1/d) is used.
double grid_shape(GridShape shape, double procs);

}  // namespace apmt
