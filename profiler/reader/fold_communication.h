// Combines the ranks' tables of calls, requests and instances.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Fills `communication`; needs `times`, `config` and `peers`. `ranks` are sorted by rank.
void fold_communication(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
