// The process grids that programs lay over their ranks, and the counts that follow from them.
#pragma once

#include <array>

#include "fitter/law.h"

namespace apmt {

/// The squarest factorisation of `procs` into 2 (then [2] = 1) or 3 factors, descending, as
/// MPI_Dims_create gives it for all zeros.
std::array<int, 3> process_grid(int procs, int dimensions);

/// Every shape's name in files, in the order of the enumeration.
inline constexpr std::array<const char*, 6> kGridShapeNames = {"none",   "sides2",  "sides3",
                                                               "faces3", "around2", "around3"};

/// The value of a shape at P; between whole numbers the ideal grid P^(1/d) stands in.
double grid_shape(GridShape shape, double procs);

}  // namespace apmt
