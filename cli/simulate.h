// Simulates the hardware counters of a recorded run, for apmt record and apmt simulate.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/launch.h"
#include "cli/arguments.h"

namespace apmt {

struct SimulationOptions {
  /// How many rounds (see profiler/simulated/window.h) to simulate; 0: the whole run. Absent: the
  /// usual number of rounds, or the whole run if these rounds cover too little of the run and
  /// simulating all of it would not take long.
  std::optional<int> rounds;
  bool prefetcher = false;  // simulate a second time, with a prefetcher
  /// Simulate again with caches that are larger by each of these factors.
  std::vector<double> cache_factors = {};
  std::string machine;      // file or name; empty: the profile stored in the experiment, if any
};

/// Prints how long the simulation will take, then runs it.
void simulate_and_tell(const LaunchOptions& launch, const std::filesystem::path& run,
                       const SimulationOptions& options);

void add_simulation_options(Verb verb, SimulationOptions* options);

}  // namespace apmt
