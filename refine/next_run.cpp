#include "refine/next_run.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/input_error.h"
#include "fitter/laws/count_pattern.h"
#include "fitter/laws/law_ahead.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/runs/spread.h"
#include "fitter/times/time_law_eval.h"

namespace apmt {
namespace {

constexpr double kLeastRatio = 1.9;  // of each candidate count to the next smaller one
constexpr double kTold = 1e-4;  // relative; a noise-free run rules out laws that are further off

/// Updates a law as if runs at this point had measured its central prediction.
void confirm(double procs, double work, int reps, TimeLaw* law) {
  if (law->kind == TimeLaw::Kind::kZero || law->points.empty()) return;
  if (procs > law->unseen.cores_of_only_node) law->unseen.cores_of_only_node = 0;
  const double value = TimeLawEvaluator(*law).centre(procs, work);
  if (!(value > 0)) return;
  if (law->kind != TimeLaw::Kind::kRecipe) {
    std::erase_if(law->exact.hypotheses, [&](const Hypothesis& h) {
      return std::abs(h.value(procs, work) / value - 1) > kTold;
    });
    std::erase_if(law->families, [&](const CountFamily& family) {
      double sum = 0;
      for (const Feature& f : family.features) sum += f.cost * f.per_rank(procs, work);
      return std::abs(sum / value - 1) > kTold;
    });
    return;
  }
  std::vector<double> sigmas;
  for (FitPoint& p : law->points) {
    sigmas.push_back(p.rel_sigma);
    if (p.procs != procs || p.work != work) continue;
    p.repetitions += reps;
    return;
  }
  law->points.push_back(
      {procs, work, value, median(sigmas), law->points.back().rel_sampling, reps});
}

/// Updates the guesses at where the data of a kernel fit into caches, as if its accesses had been
/// counted with so little work per process, and they still did not fit. It is equally likely for
/// every factor by which the work shrinks that they begin to fit (begins_to_fit of the priors).
void confirm_accesses(double work_per_process, KernelModel* kernel) {
  if (!kernel->law.split || kernel->points.empty()) return;
  const double ratio = work_per_process / least_work_per_process(kernel->points);
  if (ratio >= 1) return;
  for (MemorySplit::Costs& costs : kernel->law.split->ways) costs.fits_below *= ratio;
}

Model as_if_run(Model model, double procs, double work, int reps) {
  for (KernelModel& k : model.kernels) {
    confirm_accesses(work / procs, &k);
    confirm(procs, work, reps, &k.law);
  }
  for (CommModel& c : model.comm)
    if (c.law) confirm(procs, work, reps, &*c.law);
  if (model.off_cpu.law) confirm(procs, work, reps, &*model.off_cpu.law);
  if (model.start.law) confirm(procs, work, reps, &*model.start.law);
  if (model.end.law) confirm(procs, work, reps, &*model.end.law);
  return model;
}

/// The profiled counts, and others between and beyond them with the same pattern. If all profiled
/// counts are squares or cubes, so are the others, even if the counts are powers of two as well:
/// many programs run only with squares or cubes.
std::vector<int> usual_candidates(const Model& model, int most) {
  std::set<int> counts;
  for (const ModelPoint& p : model.points) counts.insert(p.procs);
  const std::vector<int> profiled(counts.begin(), counts.end());
  std::vector<int> more = counts_like_profiled(profiled, model.min_procs(), most, kLeastRatio);
  for (const int exponent : {2, 3})
    if (std::all_of(profiled.begin(), profiled.end(),
                    [&](int count) { return is_power(count, exponent); }))
      std::erase_if(more, [&](int count) { return !is_power(count, exponent); });
  counts.insert(more.begin(), more.end());
  return {counts.begin(), counts.end()};
}

}  // namespace

std::optional<SharperVerdict> sharper_verdict(const Model& model, const Prediction& before,
                                              const Prediction& after) {
  std::optional<SharperVerdict> best;
  for (const PredictedKernel& k : before.kernels) {
    if (!k.bound_probability || *k.bound_probability >= kSureVerdict ||
        model.kernels[k.index].max_share < kLeastShareForVerdict)
      continue;
    const auto then =
        std::find_if(after.kernels.begin(), after.kernels.end(),
                     [&](const PredictedKernel& other) { return other.index == k.index; });
    if (then->bound != k.bound) continue;
    const SharperVerdict verdict{k.index, k.bound, *k.bound_probability,
                                 then->bound_probability.value_or(0)};
    if (verdict.gain() >= kLeastVerdictGain && (!best || verdict.gain() > best->gain()))
      best = verdict;
  }
  return best;
}

double relative_width(const TimeEstimate& time) {
  return time.time_s > 0 ? (time.high_s - time.low_s) / time.time_s : 0;
}

std::vector<NextRun> rank_next_runs(const Model& model, const NextRunOptions& options) {
  if (options.at < 1)
    throw InputError("--at", "for how many processes is the model wanted?", "--at 1024");
  const int most = options.most_procs > 0 ? options.most_procs : std::max(options.at / 2, 1);
  const auto width =
      options.width ? options.width : [](const Prediction& p) { return relative_width(p.time); };
  const Scenario wanted{.procs = options.at, .params = {}, .scaling = {}};
  const ScenarioSizes sizes(model, wanted);
  const Predictor now(model);
  const Prediction before = now.predict(wanted);
  std::vector<NextRun> runs;
  for (const int procs :
       options.candidates.empty() ? usual_candidates(model, most) : options.candidates) {
    if (procs > most || (options.can_run && !options.can_run(procs))) continue;
    NextRun run;
    run.procs = procs;
    run.is_new = std::none_of(model.points.begin(), model.points.end(),
                              [&](const ModelPoint& p) { return p.procs == procs; });
    run.time_s = now.predict({.procs = procs, .params = {}, .scaling = {}}).time.time_s;
    run.core_hours = options.reps * procs * run.time_s / 3600;
    run.width_before = width(before);
    const Prediction after =
        predict(as_if_run(model, procs, sizes.work_at(procs), options.reps), wanted);
    run.width_after = width(after);
    if (options.with_verdicts) run.verdict = sharper_verdict(model, before, after);
    runs.push_back(run);
  }
  std::stable_sort(runs.begin(), runs.end(), [](const NextRun& a, const NextRun& b) {
    return a.gain_per_core_hour() > b.gain_per_core_hour();
  });
  return runs;
}

}  // namespace apmt
