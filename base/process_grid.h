// Process grids, as MPI programs choose them.
#pragma once

#include <array>

namespace apmt {

/// The squarest factorisation of `procs` into 2 (then [2] = 1) or 3 factors, largest first: the one
/// that MPI_Dims_create returns if it may choose all of them.
std::array<int, 3> process_grid(int procs, int dimensions);

}  // namespace apmt
