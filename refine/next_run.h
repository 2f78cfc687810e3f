// Ranks possible next runs by how much they would narrow the interval of a prediction. To find out,
// each run is added to the model as if it had been made and had taken its predicted time.
#pragma once

#include <functional>
#include <vector>

#include "fitter/model/model.h"
#include "fitter/prediction/prediction.h"
#include "refine/next_runs_summary.h"

namespace apmt {

struct NextRunOptions {
  int at = 0;          // the process count to predict
  int most_procs = 0;  // the most processes available; 0: half of `at`
  int reps = 3;
  std::vector<int> candidates;  // process counts; empty: the profiled ones and their continuation
  /// Whether the program can run with that many processes; empty: with any number.
  std::function<bool(int procs)> can_run;
  /// The width to reduce, calculated from a prediction at `at`. If empty, it is the relative width
  /// of the interval of the whole time.
  std::function<double(const Prediction&)> width;
};

/// (high - low) / time.
double relative_width(const TimeEstimate& time);

/// Sorted by falling gain per core-hour.
std::vector<NextRun> rank_next_runs(const Model& model, const NextRunOptions& options);

}  // namespace apmt
