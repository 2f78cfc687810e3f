// Counts of a simulated cluster, by rank.
#pragma once

#include <string>
#include <vector>

#include "profiler/simulated/callgrind_file.h"

namespace apmt {

/// SMPI gives each rank of its one process a copy of the program: what was counted in a rank's copy
/// is that rank's. Functions of libraries are left out, because all ranks share them and nobody
/// knows whose work was counted there. `program` is the name of its file.
std::vector<CallgrindProfile> by_copy(const CallgrindProfile& all, const std::string& program);

}  // namespace apmt
