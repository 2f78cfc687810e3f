#include "refine/closed_loop.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/words.h"
#include "fitter/fit/fit.h"

namespace apmt {
namespace {

constexpr double kWorthIt = 0.02;    // a run must be expected to narrow the interval by this share
constexpr double kNearlyBest = 0.9;  // the cheapest run with this share of the best gain is chosen
constexpr int kMostSteps = 30;

std::string hours(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return std::string(text) + " core-hours";
}

std::string standing(const LoopState& s) {
  return "back-test error " + percent(s.backtest_error, 1) + ", expected error " +
         percent(s.expected_error, 1);
}

double measured_at(const Experiment& experiment, int procs) {
  for (const ExperimentPoint& p : experiment.points)
    if (p.procs == procs) return p.elapsed_s.value;
  return 0;
}

/// Removes the runs that are expected to narrow the interval too little. `is_refuted` means that
/// the back-test misses its target. Then the interval itself is unreliable, because the interval of
/// a wrong law may be narrow. So if `is_refuted` is set and no run would narrow the interval
/// enough, the run with the most processes is kept, because it shows most about the curve.
void keep_those_that_tell(bool is_refuted, std::vector<NextRun>* runs) {
  const auto tells = [](const NextRun& run) { return run.gain() >= kWorthIt; };
  if (!is_refuted || std::any_of(runs->begin(), runs->end(), tells)) {
    std::erase_if(*runs, std::not_fn(tells));
    return;
  }
  const auto largest =
      std::max_element(runs->begin(), runs->end(),
                       [](const NextRun& a, const NextRun& b) { return a.procs < b.procs; });
  if (largest != runs->end()) *runs = {NextRun(*largest)};
}

/// A step that repeats the runs at the largest profiled process count with other core frequencies.
/// The frequencies are lower, so its core-hours are calculated for runs that take twice as long.
LoopStep frequency_step(const LoopState& state, const LoopOptions& options) {
  LoopStep step;
  step.at_frequencies = true;
  step.run.procs = state.model.max_procs();
  step.run.is_new = false;
  step.run.time_s =
      predict(state.model, {.procs = step.run.procs, .params = {}, .scaling = {}}).time.time_s;
  step.run.core_hours = 2 * options.frequency_runs * step.run.procs * step.run.time_s / 3600;
  step.predicted_s = step.run.time_s;
  step.because = state.culprits.front().words + ", at several core frequencies";
  return step;
}

}  // namespace

LoopState look(const Experiment& experiment, const LoopOptions& options) {
  LoopState state;
  state.model = fit(experiment, options.fit);
  ModelRefiner refine;
  if (options.refine) refine = [&](Model* model) { options.refine(experiment, model); };
  if (refine) refine(&state.model);
  state.culprits = find_culprits(experiment, state.model, options.fit, refine);
  const Backtest& test = state.model.backtest;
  state.backtest_error = test.possible ? std::abs(test.error) : 1;
  const Prediction wanted = predict(
      state.model, {.procs = options.next.at, .params = {}, .scaling = {}, .confidence = 0.5});
  state.expected_error = 0.5 * relative_width(wanted.time);
  return state;
}

std::optional<LoopStep> choose_step(const LoopState& state, const LoopOptions& options,
                                    double spent, LoopResult* result) {
  if (state.error() <= options.target_error) {
    result->end = LoopResult::End::kTarget;
    result->why = "the target is reached: " + standing(state);
    return std::nullopt;
  }
  // While the back-test misses its target, the interval to narrow is that of the culprit (the part
  // with the largest error); after that, it is the interval of the whole time.
  const bool by_culprit = state.backtest_error > options.target_error && !state.culprits.empty();
  if (by_culprit && state.culprits.front().is_cpi && options.frequency_runs > 0) {
    const LoopStep step = frequency_step(state, options);
    if (step.run.core_hours <= options.budget_core_hours - spent) return step;
  }
  NextRunOptions next = options.next;
  if (by_culprit)
    next.width = [&](const Prediction& p) { return culprit_width(state.culprits.front(), p); };
  std::vector<NextRun> ranked = rank_next_runs(state.model, next);
  // Another run at a profiled process count shows nothing about the curve elsewhere, so only runs
  // at new process counts are kept.
  if (by_culprit) std::erase_if(ranked, [](const NextRun& run) { return !run.is_new; });
  keep_those_that_tell(by_culprit, &ranked);
  if (ranked.empty()) {
    result->end = LoopResult::End::kNoHelp;
    result->why = "no run within reach would narrow the interval (" + standing(state) +
                  "); larger process counts would (--most-procs)";
    return std::nullopt;
  }
  const double left = options.budget_core_hours - spent;
  std::erase_if(ranked, [&](const NextRun& run) { return run.core_hours > left; });
  if (ranked.empty()) {
    result->end = LoopResult::End::kBudget;
    result->why = "the rest of the budget (" + hours(std::max(left, 0.0)) +
                  ") is not enough for any run that would help; " + standing(state);
    return std::nullopt;
  }
  double best = ranked.front().gain();
  for (const NextRun& run : ranked) best = std::max(best, run.gain());
  if (best > 0)
    std::erase_if(ranked, [&](const NextRun& run) { return run.gain() < kNearlyBest * best; });
  LoopStep step;
  step.run = *std::min_element(
      ranked.begin(), ranked.end(),
      [](const NextRun& a, const NextRun& b) { return a.core_hours < b.core_hours; });
  step.predicted_s = step.run.time_s;
  step.because = by_culprit ? state.culprits.front().words
                            : "interval at " + counted(options.next.at, "process", "processes");
  return step;
}

LoopResult run_loop(const LoopOptions& wanted, const LoopHands& hands) {
  LoopOptions options = wanted;
  LoopResult result;
  result.before = result.after = look(hands.measured(), options);
  for (int n = 0; n < kMostSteps; ++n) {
    result.spent_core_hours = hands.spent();
    auto step = choose_step(result.after, options, result.spent_core_hours, &result);
    if (!step) return result;
    result.steps.push_back(*step);
    if (!hands.make) {
      result.end = LoopResult::End::kPlanned;
      result.why = "this is the next run; the one after it depends on its result";
      return result;
    }
    if (!hands.make(*step)) {
      result.end = LoopResult::End::kStopped;
      result.why = "stopped; the same command continues";
      return result;
    }
    if (step->at_frequencies) options.frequency_runs = 0;  // once is enough
    const Experiment experiment = hands.measured();
    result.steps.back().measured_s = measured_at(experiment, step->run.procs);
    result.after = look(experiment, options);
  }
  result.spent_core_hours = hands.spent();
  result.why = std::to_string(kMostSteps) +
               " steps did not bring the error under the target: " + standing(result.after);
  return result;
}

double core_hours(const Experiment& experiment,
                  const std::function<bool(const RunProfile&)>& which) {
  double sum = 0;
  for (const RunProfile& run : experiment.runs)
    if (which(run)) sum += run.config.procs * run.times.wall_s.max() / 3600;
  return sum;
}

}  // namespace apmt
