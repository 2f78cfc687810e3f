// Which next run is most informative: each candidate is added to the model as if it had been made
// and had taken its predicted time.
#pragma once

#include <functional>
#include <vector>

#include "fitter/model.h"
#include "fitter/prediction.h"

namespace apmt {

struct NextRunOptions {
  int at = 0;          // the process count that the model is wanted for
  int most_procs = 0;  // that can be had; 0: half of `at`
  int reps = 3;
  std::vector<int> candidates;  // process counts; empty: as the profiled ones go on
  /// Whether the program can run with that many processes; empty: with any number.
  std::function<bool(int procs)> can_run;
  /// The width to reduce, from a prediction at `at`; if empty, the relative width of the whole
  /// interval.
  std::function<double(const Prediction&)> width;
};

struct NextRun {
  int procs = 0;
  bool is_new = true;     // no run at this process count yet
  double time_s = 0;      // of one run, predicted
  double core_hours = 0;  // of all repetitions
  double width_before = 0;
  double width_after = 0;
  /// The part of the width that would vanish; negative if the run would show that less is known
  /// than assumed.
  double gain() const { return width_before > 0 ? 1 - width_after / width_before : 0; }
  double gain_per_core_hour() const { return core_hours > 0 ? gain() / core_hours : 0; }
};

/// (high - low) / time.
double relative_width(const TimeEstimate& time);

/// Sorted by falling gain per core-hour.
std::vector<NextRun> rank_next_runs(const Model& model, const NextRunOptions& options);

}  // namespace apmt
