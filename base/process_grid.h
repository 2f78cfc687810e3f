// The grids that programs lay over their processes.
#pragma once

#include <array>

namespace apmt {

/// The squarest factorisation of `procs` into 2 (then [2] = 1) or 3 factors, descending, as
/// MPI_Dims_create gives it for all zeros.
std::array<int, 3> process_grid(int procs, int dimensions);

}  // namespace apmt
