// Merges the ranks' tables of MPI calls and of peers into the profile, and computes each rank's
// time inside MPI.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/reader/symbols.h"

namespace apmt {

/// The name of an operation's class in the profile: "p2p", "collective", ...
std::string class_name(format::OpClass c);

/// Fills `mpi`, `peers` and the times inside MPI. `hosts` and `host_of_rank` must be filled
/// already. `ranks` are sorted by rank.
void fold_mpi(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile);

}  // namespace apmt
