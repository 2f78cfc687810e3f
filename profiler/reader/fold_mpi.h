// The communicating part of a run: the MPI table, which ranks communicate, and time inside MPI per
// rank.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/reader/symbols.h"

namespace apmt {

/// "p2p", "collective", ...
std::string class_name(format::OpClass c);

/// Fills `mpi`, `peers` and the times inside MPI. `ranks` are sorted by rank.
void fold_mpi(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile);

}  // namespace apmt
