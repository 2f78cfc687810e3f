// Simulating the counters of a run that was recorded: for record and for simulate.
#pragma once

#include <filesystem>
#include <optional>

#include "campaign/launch.h"
#include "cli/arguments.h"

namespace apmt {

/// Says beforehand how long it takes, then does it. `rounds` 0: the whole run. Absent: the usual
/// number; where these hold too little of the run, the whole run unless that would take long.
void simulate_and_tell(const LaunchOptions& launch, const std::filesystem::path& run,
                       std::optional<int> rounds);

void add_rounds_option(Verb verb, std::optional<int>* rounds);

}  // namespace apmt
