#include "fitter/model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/input_error.h"
#include "fitter/analysed_counts.h"
#include "fitter/draw_estimates.h"
#include "fitter/law_catalog.h"
#include "fitter/model_draws.h"
#include "fitter/model_fit.h"
#include "fitter/model_parts.h"
#include "fitter/scenario_sizes.h"
#include "fitter/work_choice.h"

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

bool knows_only_wholes(const Model& model) {
  return model.grade == Grade::kD && model.counts.empty();
}

std::string to_string(KernelRole role) {
  switch (role) {
    case KernelRole::kCritical:
      return "critical";
    case KernelRole::kNonScalable:
      return "non-scalable";
    case KernelRole::kRest:
      break;
  }
  return "rest";
}

bool FitOptions::is_valid(std::string* error) const {
  if (!(threshold > 0 && threshold <= 1)) {
    *error = "the threshold must lie above 0 and not above 1 (a share of compute time)";
    return false;
  }
  if (method != kOwnMethod && method != kPaperMethod) {
    *error = "the method is 'apmt' or 'paper', not '" + method + "'";
    return false;
  }
  return true;
}

std::string coverage_warning(const FitSummary& summary) {
  constexpr double kLowCoverage = 0.8;
  if (summary.functions == 0 || summary.min_coverage >= kLowCoverage) return {};
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.0f %%", 100 * summary.min_coverage);
  return "coverage is low: only " + std::string(percent) +
         " of compute time is in kernels that have their own law; apmt fit with a lower "
         "--threshold gives more kernels one";
}

double OwnCalls::share(const std::string& part, const std::string& group) const {
  for (const Share& s : shares)
    if (s.part == part && s.group == group) return s.share;
  return 0;
}

int Model::max_procs() const {
  int procs = 0;
  for (const ModelPoint& p : points) procs = std::max(procs, p.procs);
  return procs;
}

int Model::min_procs() const {
  int procs = max_procs();
  for (const ModelPoint& p : points) procs = std::min(procs, p.procs);
  return procs;
}

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
  // Refinement and the paper's method also read the counters that kTimes leaves out.
  const bool all = change || options.method == kPaperMethod;
  Model before = fit_points(smaller, same, catalog, all ? FitDepth::kWhole : FitDepth::kTimes);
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

std::vector<FitPoint> Model::comm_points(const std::string& part) const {
  std::vector<FitPoint> sums;
  for (const CommModel& c : comm) {
    if (c.part != part) continue;
    if (sums.empty()) {
      sums = c.points;
      continue;
    }
    // The groups of a part have the same points.
    for (std::size_t i = 0; i < std::min(sums.size(), c.points.size()); ++i) {
      const double sum = sums[i].value + c.points[i].value;
      if (sum > 0)
        sums[i].rel_sigma = std::hypot(sums[i].rel_sigma * sums[i].value,
                                       c.points[i].rel_sigma * c.points[i].value) /
                            sum;
      sums[i].value = sum;
    }
  }
  return sums;
}

Model fit(const Experiment& experiment, const FitOptions& options) {
  std::string error;
  if (!options.is_valid(&error)) throw InputError("", error);
  const LawCatalog catalog = read_law_catalog(options.configs);
  const auto fitted = [&](const Experiment& e) {
    Model model = fit_points(e, options, catalog);
    model.backtest = run_backtest(e, model, options, catalog);
    return model;
  };
  if (experiment.analyses.empty()) return fitted(experiment);
  return fitted(with_analysed_counts(experiment, choose_work(experiment, options.work).at_points,
                                     options.memory.caches));
}

}  // namespace apmt
