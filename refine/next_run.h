// Ranks possible next runs by how much they would narrow the interval of a prediction. To find out,
// each run is added to the model as if it had been made and had taken its predicted time
// (at a profiled process count: the time measured there).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fitter/model/model.h"
#include "fitter/prediction/prediction.h"
#include "refine/next_runs_summary.h"

namespace apmt {

struct NextRunOptions {
  int at = 0;          // the process count to predict
  int most_procs = 0;  // the most processes available; 0: half of `at`
  int reps = 3;
  /// Process counts; empty: the profiled ones and their continuation.
  std::vector<int> candidates = {};
  /// Whether the program can run with that many processes; empty: with any number.
  std::function<bool(int procs)> can_run = {};
  /// The width to reduce, calculated from a prediction at `at`. If empty, it is the relative width
  /// of the interval of the whole time.
  std::function<double(const Prediction&)> width = {};
};

/// The profiled point at this process count and work, which may be rounded; nullptr if there is
/// none.
const ModelPoint* profiled_point(const Model& model, double procs, double work);

/// (high - low) / time.
double relative_width(const TimeEstimate& time);

/// Runs at the profiled problem sizes, sorted by falling gain per core-hour, without verdicts.
std::vector<NextRun> rank_next_runs(const Model& model, const NextRunOptions& options);

/// Ranks everything that would make a model surer, by how much it would narrow the interval of a
/// prediction or sharpen a verdict per core-hour: runs at other process counts, runs whose data fit
/// into the caches, runs with slower cores, and simulations with larger caches. Runs at the
/// profiled sizes are always listed, others only if they would help.
std::vector<NextRun> plan_runs(const Model& model, const NextRunOptions& options);

/// The largest process count of the runs that are examined to narrow the interval at `target`. 0
/// (no runs are examined) if `target` is a what-if or has other problem sizes or another scaling:
/// runs are proposed only for the profiled machine and sizes.
int narrowing_runs_up_to(const Model& model, const Scenario& target);

/// The run that a report recommends: the cheapest that narrows the interval at `target` by at least
/// a tenth, and by at least 60 % of what the best run achieves. Absent if there is none, or if no
/// runs are examined.
std::optional<NextRun> narrowing_run(const Model& model, const Scenario& target, int reps);

}  // namespace apmt
