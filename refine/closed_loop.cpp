#include "refine/closed_loop.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace apmt {
namespace {

constexpr double kWorthIt = 0.02;    // share of the interval that a run must promise to take away
constexpr double kNearlyBest = 0.9;  // of the best gain: the cheapest of these is taken
constexpr int kMostSteps = 30;

std::string percent(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * x);
  return text;
}
std::string hours(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return std::string(text) + " core-hours";
}

std::string standing(const LoopState& s) {
  return "the back-test misses by " + percent(s.backtest_error) + ", " + percent(s.expected_error) +
         " are expected";
}

double measured_at(const Experiment& experiment, int procs) {
  for (const ExperimentPoint& p : experiment.points)
    if (p.procs == procs) return p.elapsed_s.value;
  return 0;
}

}  // namespace

LoopState look(const Experiment& experiment, const LoopOptions& options) {
  LoopState state;
  state.model = fit(experiment, options.fit);
  state.culprits = find_culprits(experiment, state.model, options.fit);
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
  // While the back-test is what misses, its culprit's interval is what must shrink; once it holds,
  // the whole's.
  const bool by_culprit = state.backtest_error > options.target_error && !state.culprits.empty();
  NextRunOptions next = options.next;
  if (by_culprit)
    next.width = [&](const Prediction& p) { return culprit_width(state.culprits.front(), p); };
  std::vector<NextRun> ranked = rank_next_runs(state.model, next);
  // A curve that bends elsewhere is not mended by knowing its points better.
  std::erase_if(ranked, [&](const NextRun& run) {
    return run.gain() < kWorthIt || (by_culprit && !run.is_new);
  });
  if (ranked.empty()) {
    result->end = LoopResult::End::kNoHelp;
    result->why = "no run within reach would tell more (" + standing(state) +
                  "); larger process counts would (--most-procs)";
    return std::nullopt;
  }
  const double left = options.budget_core_hours - spent;
  std::erase_if(ranked, [&](const NextRun& run) { return run.core_hours > left; });
  if (ranked.empty()) {
    result->end = LoopResult::End::kBudget;
    result->why = "what is left of the budget (" + hours(std::max(left, 0.0)) +
                  ") pays for no run that would help; " + standing(state);
    return std::nullopt;
  }
  double best = 0;
  for (const NextRun& run : ranked) best = std::max(best, run.gain());
  std::erase_if(ranked, [&](const NextRun& run) { return run.gain() < kNearlyBest * best; });
  LoopStep step;
  step.run = *std::min_element(
      ranked.begin(), ranked.end(),
      [](const NextRun& a, const NextRun& b) { return a.core_hours < b.core_hours; });
  step.predicted_s = step.run.time_s;
  step.because = by_culprit ? state.culprits.front().words
                            : "interval at " + std::to_string(options.next.at) + " processes";
  return step;
}

LoopResult run_loop(const LoopOptions& options, const LoopHands& hands) {
  LoopResult result;
  result.before = result.after = look(hands.measured(), options);
  for (int n = 0; n < kMostSteps; ++n) {
    result.spent_core_hours = hands.spent();
    auto step = choose_step(result.after, options, result.spent_core_hours, &result);
    if (!step) return result;
    result.steps.push_back(*step);
    if (!hands.make) {
      result.end = LoopResult::End::kPlanned;
      result.why = "this is the next run; what comes after depends on what it shows";
      return result;
    }
    if (!hands.make(step->run)) {
      result.end = LoopResult::End::kStopped;
      result.why = "stopped; the same command goes on";
      return result;
    }
    const Experiment experiment = hands.measured();
    result.steps.back().measured_s = measured_at(experiment, step->run.procs);
    result.after = look(experiment, options);
  }
  result.spent_core_hours = hands.spent();
  result.why = std::to_string(kMostSteps) +
               " steps did not bring it under the target: " + standing(result.after);
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
