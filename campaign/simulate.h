// Runs the same command once more in valgrind's callgrind: counters for machines without hardware
// counters.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/launch.h"
#include "machine/machine_profile.h"
#include "profiler/simulated/callgrind_file.h"
#include "profiler/simulated/window.h"

namespace apmt {

struct SimulationPlan {
  std::optional<SimulationWindow> window;  // absent: the whole run is simulated
  double expected_s = 0;                   // how long that will take, roughly
  std::vector<std::string> cache_options;  // for valgrind; empty: its own guess
  std::string caches;                      // the same for people
};

/// What to simulate of a measured run: this many rounds, or all of it when that is 0 or the run has
/// no rounds. The last level of the caches has the size that `machine` measured, if it did: on a
/// virtual machine the kernel reports the size of a cache that other guests use, too.
SimulationPlan plan_simulation(const RunProfile& measured, int rounds,
                               const std::optional<MachineProfile>& machine = {});

/// The same with a hardware prefetcher whose data is assumed to arrive in time, always.
SimulationPlan with_prefetcher(SimulationPlan plan);

/// Runs the command under simulation and returns the counts of each rank. Throws InputError when
/// valgrind is missing, or ranks left no counts. `on_second` gets the seconds since the start.
std::vector<CallgrindProfile> simulate_ranks(const LaunchOptions& launch,
                                             const SimulationPlan& plan, const RunProfile& measured,
                                             const std::filesystem::path& run,
                                             const std::function<void(double)>& on_second = {});

}  // namespace apmt
