// The closed loop of apmt refine: makes the cheapest of the most informative runs and refits the
// model, until the error is small enough, the budget is spent, or no further run would help.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"
#include "refine/next_run.h"

namespace apmt {

struct LoopOptions {
  double target_error = 0.1;
  double budget_core_hours = 0;
  NextRunOptions next;  // the loop sets next.width
  FitOptions fit;
  /// Refines a model of the experiment with runs at other core frequencies. Empty if there are no
  /// such runs.
  std::function<void(const Experiment&, Model*)> refine;
  /// At how many core frequencies to run if the culprit (the part with the largest error) is a CPI
  /// (cycles per instruction); 0: the frequency cannot be set.
  int frequency_runs = 0;
};

/// A part of a model that causes its error: predicted for the largest profiled process count from
/// the other runs, and compared with the measurement.
struct Culprit {
  std::string part;                   // key of model_parts.h: "comp_s", "comm_coll_s", ...
  std::optional<std::size_t> kernel;  // index in Model::kernels; only for comp_s
  std::string words;    // "unit cost of collectives", "volume of MPI_Alltoall", "CPI of sweep"
  bool is_cpi = false;  // runs at other core frequencies would tell more
  double error_s = 0;   // predicted - measured, seconds per process
  double share = 0;     // |error_s| / sum of the absolute errors of all parts
};

/// A model and its two errors: that of the back-test, and the expected error of the prediction at
/// the requested process count (half the width of its 50 % interval).
struct LoopState {
  Model model;
  /// Sorted by the size of the error, the largest first; empty if there are too few process counts
  /// for a back-test.
  std::vector<Culprit> culprits;
  double backtest_error = 0;  // size relative to the measurement; 1 if there was no back-test
  double expected_error = 0;
  double error() const { return std::max(backtest_error, expected_error); }
};
LoopState look(const Experiment& experiment, const LoopOptions& options);

struct LoopStep {
  NextRun run;
  bool at_frequencies = false;  // repeats a profiled count at other core frequencies
  std::string because;          // "unit cost of collectives", "interval at 64 processes"
  double predicted_s = 0;       // predicted before the run
  double measured_s = 0;        // 0 if the run was not made
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

/// Returns the next run; if there is none, writes the reason to *result.
std::optional<LoopStep> choose_step(const LoopState& state, const LoopOptions& options,
                                    double spent_core_hours, LoopResult* result);

/// Functions by which the loop reads runs, makes runs, and learns what they cost.
struct LoopHands {
  /// Reads all runs made so far.
  std::function<Experiment()> measured;
  /// Makes the runs; returns false to end the loop. If empty, the loop only plans its first step.
  std::function<bool(const LoopStep&)> make;
  /// Core-hours of the runs that the loop added, including those that earlier apmt commands made.
  std::function<double()> spent;
};

LoopResult run_loop(LoopOptions options, const LoopHands& hands);

}  // namespace apmt
