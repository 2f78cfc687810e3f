// Measures the latency and the bandwidth of each level of a CPU's memory.
#pragma once

#include <functional>
#include <vector>

#include "devices/calibrate/team.h"
#include "devices/card.h"
#include "machine/topology.h"

namespace apmt::devices {

struct LevelOptions {
  std::vector<Cache> caches;        // the smallest first
  int cpu = 0;                      // on which latencies are measured
  double effort = 1;                // below 1, for tests: less reading, a smaller main memory
  std::function<void()> step = {};  // called after each level
};

/// Writes the levels to the card, and the figures of the fast and the slow memory. All threads of
/// the team read to measure bandwidths.
void measure_levels(const LevelOptions& options, Team& team, Device* card);

}  // namespace apmt::devices
