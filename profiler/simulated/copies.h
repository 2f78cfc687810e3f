// Splits callgrind's counts of a simulated cluster by rank.
#pragma once

#include <string>
#include <vector>

#include "profiler/simulated/callgrind_file.h"

namespace apmt {

/// Returns the counts of each rank, taken from the counts of the process that all ranks share in
/// SMPI. Each rank has its own copy of the program in this process, and counts in a copy belong to
/// its rank. Functions of libraries are left out, because all ranks share them. `program` is the
/// name of the program's file; `started_as` is the name by which it was started, which may be that
/// of a symbolic link. The names of the copies begin with `started_as`.
std::vector<CallgrindProfile> by_copy(const CallgrindProfile& all, const std::string& program,
                                      const std::string& started_as);

}  // namespace apmt
