// The same command once more, inside valgrind's callgrind: counters for machines that show none.
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

/// What to simulate of a run that was measured: so many rounds, or all of it when that is 0 or the
/// run has no rounds. The last level of the caches is as large as `machine` measured it, if it did:
/// on a virtual machine the kernel tells the size of a cache that other guests use, too.
SimulationPlan plan_simulation(const RunProfile& measured, int rounds,
                               const std::optional<MachineProfile>& machine = {});

/// The same with a hardware prefetcher, which is assumed to be always in time.
SimulationPlan with_prefetcher(SimulationPlan plan);

/// Runs the command of the launch under simulation: what each rank counted. Throws InputError when
/// valgrind is missing, or ranks left no counts. `on_second` is told the seconds since the start.
std::vector<CallgrindProfile> simulate_ranks(const LaunchOptions& launch,
                                             const SimulationPlan& plan, const RunProfile& measured,
                                             const std::filesystem::path& run,
                                             const std::function<void(double)>& on_second = {});

}  // namespace apmt
