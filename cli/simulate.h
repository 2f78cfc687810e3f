// Simulating the counters of a run that was recorded: for record and for simulate.
#pragma once

#include <filesystem>

#include "campaign/launch.h"

namespace apmt {

/// Says beforehand how long it takes, then does it. `rounds` 0: the whole run.
void simulate_and_tell(const LaunchOptions& launch, const std::filesystem::path& run, int rounds);

}  // namespace apmt
