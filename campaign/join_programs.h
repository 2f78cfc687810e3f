// Several programs that make up one MPI_COMM_WORLD (mpirun -np 2 ocean : -np 4 air): each writes
// into a directory of its own name.
#pragma once

#include <filesystem>
#include <vector>

namespace apmt {

/// Puts the recordings of such programs together, into the directory of the one with the lowest
/// rank. The running-* directories that remain; whose processes are gone.
std::vector<std::filesystem::path> join_programs(const std::vector<std::filesystem::path>& running);

}  // namespace apmt
