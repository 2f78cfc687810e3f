// Finds the hosts and CPUs on which the ranks ran.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Fills in `hosts`, `host_of_rank`, `placement`, and the members of `config` that concern nodes.
void fold_hosts(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
