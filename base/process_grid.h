// Computes the process grid that an MPI program would choose.
#pragma once

#include <array>

namespace apmt {

/// Factors `procs` into 2 or 3 dimensions of sizes as equal as possible, largest first, as
/// MPI_Dims_create does if it may choose all dimensions. With 2 dimensions, element [2] is 1.
std::array<int, 3> process_grid(int procs, int dimensions);

}  // namespace apmt
