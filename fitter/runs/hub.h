// Programs whose messages all go through one process.
#pragma once

#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Whether every message of the run is from or to the same process, the hub, as if a master gives
/// work to all others or collects their results. The hub handles one message after another, and so
/// does its link to the network. So what a process waits for a message beyond its own cost are the
/// messages of the others.
bool has_hub(const RunProfile& run);

/// Whether all of the runs have one.
bool have_hub(const std::vector<RunProfile>& runs);

}  // namespace apmt
