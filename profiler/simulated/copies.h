// Splits the counts of a simulated cluster by rank.
#pragma once

#include <string>
#include <vector>

#include "profiler/simulated/callgrind_file.h"

namespace apmt {

/// All ranks of SMPI share one process, where each has a copy of the program. Counts in a rank's
/// copy are that rank's. Functions of libraries are left out: all ranks share them, so their counts
/// belong to no single rank. `program` is the name of the program's file.
std::vector<CallgrindProfile> by_copy(const CallgrindProfile& all, const std::string& program);

}  // namespace apmt
