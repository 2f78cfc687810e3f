// Ranks possible next runs by how much they would narrow the interval of a prediction. To find out,
// each run is added to the model as if it had been made and had taken its predicted time.
#pragma once

#include <functional>
#include <vector>

#include "fitter/model.h"
#include "fitter/prediction.h"

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

struct NextRun {
  int procs = 0;
  bool is_new = true;     // no run at this process count yet
  double time_s = 0;      // predicted time of one run
  double core_hours = 0;  // of all repetitions of the run
  double width_before = 0;
  double width_after = 0;
  /// The share of the width that would vanish. Negative if the interval would get wider, because
  /// the run shows that less is known than assumed.
  double gain() const { return width_before > 0 ? 1 - width_after / width_before : 0; }
  double gain_per_core_hour() const { return core_hours > 0 ? gain() / core_hours : 0; }
};

/// (high - low) / time.
double relative_width(const TimeEstimate& time);

/// Sorted by falling gain per core-hour.
std::vector<NextRun> rank_next_runs(const Model& model, const NextRunOptions& options);

}  // namespace apmt
