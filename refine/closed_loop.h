// The closed loop: makes a run, refits, and stops at the target, at the budget, or when nothing
// helps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/model.h"
#include "refine/culprit.h"
#include "refine/next_run.h"

namespace apmt {

struct LoopOptions {
  double target_error = 0.1;
  double budget_core_hours = 0;
  NextRunOptions next;  // its width is set by the loop
  FitOptions fit;
  /// Adds runs at other core frequencies to a model of the experiment; empty: there are none.
  std::function<void(const Experiment&, Model*)> refine;
  /// The number of runs at other frequencies to make if a CPI is the culprit; 0: not possible.
  int frequency_runs = 0;
};

/// The state of the model: the error of the back-test, and the expected error of the prediction at
/// the requested process count (half of its 50 % interval).
struct LoopState {
  Model model;
  std::vector<Culprit> culprits;
  double backtest_error = 0;  // without sign; 1 where none was possible
  double expected_error = 0;
  double error() const { return std::max(backtest_error, expected_error); }
};
LoopState look(const Experiment& experiment, const LoopOptions& options);

struct LoopStep {
  NextRun run;
  bool at_frequencies = false;  // not one more point, but a point again at other core frequencies
  std::string because;          // "unit cost of collectives", "interval at 64 processes"
  double predicted_s = 0;       // before it was made
  double measured_s = 0;        // 0: not made
};

struct LoopResult {
  enum class End { kTarget, kBudget, kNoHelp, kPlanned, kStopped };
  End end = End::kNoHelp;
  std::string why;  // one sentence
  LoopState before;
  LoopState after;
  std::vector<LoopStep> steps;
  double spent_core_hours = 0;
};

/// The next run, or why there is none (in *result).
std::optional<LoopStep> choose_step(const LoopState& state, const LoopOptions& options,
                                    double spent_core_hours, LoopResult* result);

struct LoopHands {
  /// All runs that there are.
  std::function<Experiment()> measured;
  /// Makes the runs; if it returns false, the loop ends. Empty: only the first step is planned.
  std::function<bool(const LoopStep&)> make;
  /// Core-hours of the runs that were added, also by earlier calls.
  std::function<double()> spent;
};

LoopResult run_loop(const LoopOptions& wanted, const LoopHands& hands);

/// Processes times seconds of the runs of these process counts, in hours.
double core_hours(const Experiment& experiment,
                  const std::function<bool(const RunProfile&)>& which);

}  // namespace apmt
