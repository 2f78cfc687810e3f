// Finds limits to the validity of a run: lost ranks, cost of recording, time that was not sampled.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Fills `health`; `times` must be filled already.
void fold_health(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
