#include "fitter/fit/backtest.h"

#include "fitter/fit/model_fit.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/scenario_sizes.h"

namespace apmt {
namespace {

/// The same experiment without the runs at one process count; the costs of messages come from the
/// remaining runs only.
Experiment without(const Experiment& e, int procs) {
  std::vector<RunProfile> runs;
  for (const RunProfile& run : e.runs)
    if (run.config.procs != procs) runs.push_back(run);
  if (runs.empty()) return {};
  Experiment smaller = make_experiment(std::move(runs), {.same_program = true});
  smaller.scaling = e.scaling;
  smaller.grade = e.grade;
  return smaller;
}

}  // namespace

Backtest run_backtest(const Experiment& e, const Model& model, const FitOptions& options,
                      const LawCatalog& catalog, const std::function<void(Model*)>& change) {
  Backtest test;
  test.procs = model.max_procs();
  const Experiment smaller = without(e, test.procs);
  test.from_procs = smaller.process_counts();
  if (test.from_procs.size() < 2) {
    test.note = "three process counts are needed; without the largest, only " +
                std::to_string(test.from_procs.size()) + " is left";
    return test;
  }
  FitOptions same = options;
  same.work = model.work;
  // The paper's method also reads the counters that kTimes leaves out.
  const FitDepth depth = options.method == kPaperMethod ? FitDepth::kWhole : FitDepth::kTimes;
  Model before = fit_points(smaller, same, catalog, depth);
  if (change) change(&before);
  const ModelPoint& truth = model.points.back();
  const ModelDraws laws(before);
  const double work =
      ScenarioSizes(before, {.procs = truth.procs, .params = truth.params, .scaling = {}})
          .work_at(truth.procs);
  const WhatIfEffect as_it_is(before, laws.parts(), {}, truth.procs, work);
  // Compares only parts that were both predicted and measured.
  std::vector<const Draws*> sums;
  const DrawnTimes drawn = laws.at(truth.procs, work, as_it_is, false);
  for (const DrawnTimes::OfPart& part : drawn.parts) {
    const std::optional<Measured>& value = measured_part(truth.parts, part.part);
    if (!value) continue;
    test.measured_s += value->value;
    sums.push_back(&part.sum);
  }
  const TimeEstimate said = estimate_of_whole(sums, Scenario().confidence);
  test.time_s = said.time_s;
  test.low_s = said.low_s;
  test.high_s = said.high_s;
  if (test.measured_s <= 0) {
    test.note = "no part was both predicted and measured at the largest process count";
    return test;
  }
  test.possible = true;
  test.error = test.time_s / test.measured_s - 1;
  test.covered = test.low_s <= test.measured_s && test.measured_s <= test.high_s;
  if (test.from_procs.size() == 2)
    test.note =
        "fitted to two process counts only, which determine at most two coefficients of each law";
  if (truth.complete)
    for (const Baseline& b : before.baselines)
      test.baseline_errors[b.name] = b.time_s(truth.procs, truth.work) / truth.known_s - 1;
  return test;
}

}  // namespace apmt
