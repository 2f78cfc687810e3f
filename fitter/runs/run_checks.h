// Finds runs that cannot be compared with each other, and runs that give little information: runs
// that were cut off, that are too short to measure, or in which a rank did not execute for a while.
#pragma once

#include <string>
#include <vector>

#include "fitter/runs/experiment.h"

namespace apmt {

/// Removes the incomplete runs if there are complete ones, and returns a sentence for each removed
/// run. (A run that ended after a third of its time would look three times as fast.)
std::vector<std::string> leave_out_cut_off(std::vector<RunProfile>* runs);

/// One sentence for all points at which every run is too short: under 0.1 s, or with fewer than a
/// hundred samples.
std::vector<std::string> short_runs(const Experiment& experiment);

/// One sentence for all points of a virtual cluster whose ranks created threads.
std::vector<std::string> runs_with_created_threads(const Experiment& experiment);

/// One sentence for each run in which a rank was off the CPU outside MPI for much longer than usual
/// and than in most other repetitions. Ranks that share cores or have threads are not checked.
std::vector<std::string> stalled_runs(const Experiment& experiment);

/// One sentence for all points whose ranks were off the CPU outside MPI for much of the time.
std::vector<std::string> runs_off_cpu(const Experiment& experiment);

/// All warnings about the runs of an experiment.
std::vector<std::string> comparability_warnings(const Experiment& experiment,
                                                const ExperimentOptions& options);

}  // namespace apmt
