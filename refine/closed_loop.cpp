#include "refine/closed_loop.h"

#include <algorithm>
#include <cmath>

#include "base/words.h"
#include "fitter/fit/fit.h"
#include "fitter/laws/law_catalog.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/prediction/validate.h"

namespace apmt {
namespace {

constexpr double kWorthIt = 0.02;    // a run must be expected to narrow the interval by this share
constexpr double kNearlyBest = 0.9;  // the cheapest run with this share of the best gain is chosen
constexpr int kMostSteps = 30;
constexpr double kCountIsWrong = 0.05;  // if its relative error is larger, the count is the culprit

std::string standing(const LoopState& s) {
  const std::string backtest =
      s.model.backtest.possible ? percent(s.backtest_error, 1) : std::string("not known");
  return "back-test error " + backtest + ", expected error " + percent(s.expected_error, 1);
}

/// The measured time at the sizes that predictions for this process count assume.
double measured_at(const Model& model, int procs) {
  const double work = ScenarioSizes(model, {.procs = procs}).work_at(procs);
  const ModelPoint* point = profiled_point(model, procs, work);
  return point == nullptr ? 0 : point->elapsed_s;
}

double relative_error(const CountLaw& law, const std::vector<FitPoint>& points, int procs) {
  for (const FitPoint& p : points)
    if (p.procs == procs && p.value > 0) return law.value(procs, p.work) / p.value - 1;
  return 0;
}

/// Says what was predicted wrongly: the instruction count if its law is wrong, otherwise the cost
/// per instruction; the time if instructions were not counted.
std::string kernel_words(const KernelModel& before, const Model& now, int procs) {
  for (const KernelModel& k : now.kernels) {
    if (k.id != before.id) continue;
    for (const MetricModel& m : k.metrics)
      for (const MetricModel& old : before.metrics)
        if (m.metric == "instructions" && old.metric == m.metric)
          return (std::abs(relative_error(old.law, m.points, procs)) > kCountIsWrong
                      ? "instructions of "
                  : k.refined ? "CPI or blocking factor of "
                              : "CPI of ") +
                 before.name;
  }
  return "time of " + before.name;
}

std::string comm_words(Part part, const Model& before, const Model& now, int procs) {
  double worst = kCountIsWrong;
  std::string op;
  for (const CommModel& c : before.comm) {
    if (c.part != comm_name(part) || part == Part::kCommWait) continue;
    for (const CountModel& old : before.counts) {
      if (std::ranges::find(c.ops, old.op) == c.ops.end()) continue;
      for (const CountModel& count : now.counts) {
        if (count.op != old.op) continue;
        const double error =
            std::max(std::abs(relative_error(old.calls, count.calls_points, procs)),
                     std::abs(relative_error(old.bytes, count.bytes_points, procs)));
        if (error > worst) {
          worst = error;
          op = count.op;
        }
      }
    }
  }
  return op.empty() ? "unit cost of " + std::string(words(part)) : "volume of " + op;
}

std::vector<Culprit> find_culprits(const Experiment& experiment, const Model& model,
                                   const LoopOptions& options) {
  const int procs = model.max_procs();
  std::vector<Culprit> culprits;
  if (experiment.process_counts().size() < 3) return culprits;
  Model before =
      fit_without_largest(experiment, model, options.fit, read_law_catalog(options.fit.configs));
  if (options.refine) options.refine(experiment, &before);
  const Validation v = validate(before, experiment).back();
  const auto add = [&](Part part, const auto& check) -> Culprit& {
    Culprit& c = culprits.emplace_back();
    c.part = key(part);
    c.error_s = check.predicted.time_s - check.measured_s;
    return c;
  };
  for (const Validation::Kernel& k : v.kernels) {
    Culprit& c = add(Part::kComp, k.check);
    for (std::size_t i = 0; i < model.kernels.size(); ++i)
      if (model.kernels[i].id == before.kernels[k.index].id && model.kernels[i].name == k.name)
        c.kernel = i;
    c.words = kernel_words(before.kernels[k.index], model, procs);
    c.is_cpi = c.words.starts_with("CPI ");
  }
  for (const Part part : kParts) {
    const auto found = v.parts.find(key(part));
    if (found == v.parts.end() || (part == Part::kComp && !v.kernels.empty())) continue;
    const bool is_comm = !comm_name(part).empty();
    add(part, found->second).words =
        is_comm ? comm_words(part, before, model, procs) : "time of " + std::string(words(part));
  }
  double all = 0;
  for (const Culprit& c : culprits) all += std::abs(c.error_s);
  for (Culprit& c : culprits) c.share = all > 0 ? std::abs(c.error_s) / all : 0;
  std::ranges::stable_sort(culprits, [](const Culprit& a, const Culprit& b) {
    return std::abs(a.error_s) > std::abs(b.error_s);
  });
  return culprits;
}

/// The width of the culprit's interval in a prediction, relative to the whole time.
double culprit_width(const Culprit& culprit, const Prediction& p) {
  if (!(p.time.time_s > 0)) return 0;
  const auto width = [&](const TimeEstimate& t) { return (t.high_s - t.low_s) / p.time.time_s; };
  if (culprit.kernel)
    for (const PredictedKernel& k : p.kernels)
      if (k.index == *culprit.kernel) return width(k.time);
  for (const Part part : kParts)
    if (const auto& t = p.parts.*predicted_part(part); culprit.part == key(part) && t)
      return width(*t);
  return width(p.time);
}

/// Removes the runs that are expected to narrow the interval too little. If `is_refuted` (the
/// back-test misses its target), the interval is unreliable: that of a wrong law may be narrow. So
/// if none would narrow it enough, the run with the most processes is kept; it shows most.
void keep_those_that_tell(bool is_refuted, std::vector<NextRun>* runs) {
  const auto tells = [](const NextRun& run) { return run.gain() >= kWorthIt; };
  if (!is_refuted || std::ranges::any_of(*runs, tells)) {
    std::erase_if(*runs, std::not_fn(tells));
    return;
  }
  const auto largest = std::ranges::max_element(*runs, {}, &NextRun::procs);
  if (largest != runs->end()) *runs = {NextRun(*largest)};
}

/// A step that repeats the runs at the largest profiled process count with other core frequencies.
/// The frequencies are lower, so its core-hours are calculated for runs that take twice as long.
LoopStep frequency_step(const LoopState& state, const LoopOptions& options) {
  const int procs = state.model.max_procs();
  const double time_s = predict(state.model, {.procs = procs}).time.time_s;
  return {.run = {.procs = procs,
                  .is_new = false,
                  .time_s = time_s,
                  .core_hours = 2 * options.frequency_runs * procs * time_s / 3600},
          .at_frequencies = true,
          .because = state.culprits.front().words + ", at several core frequencies",
          .predicted_s = time_s};
}

}  // namespace

LoopState look(const Experiment& experiment, const LoopOptions& options) {
  LoopState state;
  state.model = fit(experiment, options.fit);
  if (options.refine) options.refine(experiment, &state.model);
  state.culprits = find_culprits(experiment, state.model, options);
  const Backtest& test = state.model.backtest;
  state.backtest_error = test.possible ? std::abs(test.error) : 1;
  const Prediction wanted = predict(state.model, {.procs = options.next.at, .confidence = 0.5});
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
    result->why = "the rest of the budget (" + formatted("%.3g core-hours", std::max(left, 0.0)) +
                  ") is not enough for any run that would help; " + standing(state);
    return std::nullopt;
  }
  const double best = std::ranges::max(ranked, {}, &NextRun::gain).gain();
  if (best > 0)
    std::erase_if(ranked, [&](const NextRun& run) { return run.gain() < kNearlyBest * best; });
  LoopStep step;
  step.run = *std::ranges::min_element(ranked, {}, &NextRun::core_hours);
  step.predicted_s = step.run.time_s;
  step.because = by_culprit ? state.culprits.front().words
                            : "interval at " + counted(options.next.at, "process", "processes");
  return step;
}

LoopResult run_loop(LoopOptions options, const LoopHands& hands) {
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
    result.after = look(hands.measured(), options);
    result.steps.back().measured_s = measured_at(result.after.model, step->run.procs);
  }
  result.spent_core_hours = hands.spent();
  result.why = std::to_string(kMostSteps) +
               " steps did not bring the error under the target: " + standing(result.after);
  return result;
}

}  // namespace apmt
