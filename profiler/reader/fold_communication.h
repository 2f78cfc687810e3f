// What the ranks' tables of calls, requests and instances amount to when they are laid side by
// side.
#pragma once

#include <vector>

#include "profiler/reader/raw_recording.h"
#include "profiler/reader/run_profile.h"

namespace apmt {

/// Fills `communication`; wants `times`, `config` and `peers`. `ranks` are sorted by rank.
void fold_communication(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
