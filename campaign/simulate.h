// Runs the command of a measured run once more in valgrind's callgrind, which simulates counters
// for machines that have none.
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
  double expected_s = 0;                   // about how long the simulation will take
  std::vector<std::string> cache_options;  // for valgrind; empty: valgrind's own guess
  std::string caches;                      // the simulated caches, in words
};

/// Plans the simulation of a measured run: `rounds` rounds of it (see window.h), or all of it if
/// `rounds` is 0, nothing in the run recurs, or the cluster is virtual. The last cache level has
/// the size measured in `machine`, if there is one: on a virtual machine, other virtual machines
/// use the same cache, so less of it is available than the kernel reports. Each rank gets
/// `cache_factor` times the caches that it would have in a run with `cache_factor` times as many
/// ranks.
SimulationPlan plan_simulation(const RunProfile& measured, int rounds,
                               const std::optional<MachineProfile>& machine = {},
                               double cache_factor = 1);

/// `plan` with a simulated hardware prefetcher, whose data always arrive before they are needed.
SimulationPlan with_prefetcher(SimulationPlan plan);

/// Runs the command in callgrind, and returns the counts of each rank. Throws InputError if
/// valgrind is missing, or if ranks left no counts. `on_second` is called with the seconds since
/// the start.
std::vector<CallgrindProfile> simulate_ranks(const LaunchOptions& launch,
                                             const SimulationPlan& plan, const RunProfile& measured,
                                             const std::filesystem::path& run,
                                             const std::function<void(double)>& on_second = {});

}  // namespace apmt
