// Ranks everything that would make a model surer, by how much it would narrow the interval of a
// prediction or sharpen a verdict per core-hour: runs at other process counts, runs whose data fit
// into the caches, runs with slower cores, and simulations with larger caches.
#pragma once

#include <vector>

#include "refine/next_run.h"

namespace apmt {

/// Sorted by falling gain per core-hour. Runs at the profiled sizes are always listed, others only
/// if they would help. `options.width` is not used.
std::vector<NextRun> plan_runs(const Model& model, NextRunOptions options);

}  // namespace apmt
