// Combines the ranks' tables of MPI calls, requests and instances into the summary of
// communication.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Fills `communication`. `times`, `config`, `health` and `peers` must be filled already. `ranks`
/// are sorted by rank.
void fold_communication(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
