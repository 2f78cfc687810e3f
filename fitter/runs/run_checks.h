// Finds runs that give little information: runs that are too short to measure, and runs in which a
// rank did not execute for a while.
#pragma once

#include <string>
#include <vector>

#include "fitter/runs/experiment.h"

namespace apmt {

/// One sentence for all points at which every run is too short: under 0.1 s, or with fewer than a
/// hundred samples.
std::vector<std::string> short_runs(const Experiment& experiment);

/// One sentence for each run in which a rank was off the CPU outside MPI for much longer than usual
/// and than in most other repetitions. Ranks that share cores or have threads are not checked.
std::vector<std::string> stalled_runs(const Experiment& experiment);

}  // namespace apmt
