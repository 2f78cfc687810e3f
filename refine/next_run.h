// Ranks possible next runs by how much they would narrow the interval of a prediction. To find out,
// each run is added to the model as if it had been made and had taken its predicted time.
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
  std::vector<int> candidates;  // process counts; empty: the profiled ones and their continuation
  /// Whether the program can run with that many processes; empty: with any number.
  std::function<bool(int procs)> can_run;
  bool with_verdicts = false;  // sets NextRun::verdict
  /// The width to reduce, calculated from a prediction at `at`. If empty, it is the relative width
  /// of the interval of the whole time.
  std::function<double(const Prediction&)> width;
};

/// (high - low) / time.
double relative_width(const TimeEstimate& time);

/// Runs at the profiled problem sizes, sorted by falling gain per core-hour.
std::vector<NextRun> rank_next_runs(const Model& model, const NextRunOptions& options);

/// The verdict that becomes surest by a run, given predictions before and after it.
std::optional<SharperVerdict> sharper_verdict(const Model& model, const Prediction& before,
                                              const Prediction& after);

/// A bound of a kernel with this probability needs no further run.
inline constexpr double kSureVerdict = 0.8;
/// Of compute time; the verdicts on smaller kernels are not worth a run.
inline constexpr double kLeastShareForVerdict = 0.02;
/// The least gain of a verdict's probability.
inline constexpr double kLeastVerdictGain = 0.05;

}  // namespace apmt
