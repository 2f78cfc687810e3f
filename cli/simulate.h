// Simulating the counters of a run that was recorded: for record and for simulate.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "campaign/launch.h"
#include "cli/arguments.h"

namespace apmt {

struct SimulationOptions {
  /// 0: the whole run. Absent: the usual number; where these hold too little of the run, the whole
  /// run unless that would take long.
  std::optional<int> rounds;
  bool prefetcher = false;  // simulate once more with one
  std::string machine;      // profile, a file or a name; empty: that of the experiment, if any
};

/// Says beforehand how long it takes, then does it.
void simulate_and_tell(const LaunchOptions& launch, const std::filesystem::path& run,
                       const SimulationOptions& options);

void add_simulation_options(Verb verb, SimulationOptions* options);

}  // namespace apmt
