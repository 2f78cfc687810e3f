// Where the ranks ran.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Fills hosts and placement, and the node fields of the configuration.
void fold_hosts(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
