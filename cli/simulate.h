// Simulates the counters of a recorded run. Used by apmt record and apmt simulate.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "campaign/launch.h"
#include "cli/arguments.h"

namespace apmt {

struct SimulationOptions {
  /// 0: the whole run. Absent: the usual number of rounds; but the whole run if the rounds cover
  /// too little of it, unless that would take long.
  std::optional<int> rounds;
  bool prefetcher = false;  // simulate once more with a prefetcher
  std::string machine;      // a file or a name; empty: the experiment's profile, if any
};

/// Prints how long the simulation will take, then runs it.
void simulate_and_tell(const LaunchOptions& launch, const std::filesystem::path& run,
                       const SimulationOptions& options);

void add_simulation_options(Verb verb, SimulationOptions* options);

}  // namespace apmt
