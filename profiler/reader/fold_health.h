// Limits to the validity of a run: lost ranks, the cost of recording, time that was not sampled.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Fills `health`; needs the times.
void fold_health(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
