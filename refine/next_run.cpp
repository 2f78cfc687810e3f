#include "refine/next_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/square.h"
#include "fitter/computation/cache_check.h"
#include "fitter/laws/law_ahead.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/runs/count_pattern.h"
#include "fitter/runs/spread.h"
#include "fitter/times/time_law_eval.h"

namespace apmt {
namespace {

constexpr double kLeastRatio = 1.9;  // of each candidate count to the next smaller one
constexpr double kTold = 1e-4;  // relative; a noise-free run rules out laws that are further off
constexpr double kWorthARun = 0.1;     // least narrowing, as a share of the interval's width
constexpr double kNearlyAsGood = 0.6;  // least narrowing, as a share of what the best run achieves
constexpr double kSureVerdict = 0.8;   // a bound of a kernel with this probability needs no run
/// Of compute time; the verdicts on smaller kernels are not worth a run.
constexpr double kLeastShareForVerdict = 0.02;
constexpr double kLeastVerdictGain = 0.05;  // the least gain of a verdict's probability
constexpr double kLeastTime = 1e-300;       // before logarithms are taken
constexpr double kLeastNarrowing = 0.05;    // of the interval, or it is not worth a row
constexpr double kLeastSigma = 0.01;        // of ln time; repetitions may agree by chance
constexpr double kOtherSize = 0.03;  // CPI_core at another problem size differs by about this
constexpr int kFrequencies = 3;      // that apmt refine --frequency uses by default
constexpr double kRuledOut = 2;      // standard deviations
// Of apmt simulate: how much slower programs run, and the rounds that it simulates by default, if a
// run has at least so many.
constexpr double kSimulatedSlowdown = 75;
constexpr double kSimulatedRounds = 12;
constexpr double kEnoughRounds = 60;

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
    const LawFrame frame(*law);
    std::erase_if(law->families, [&](const CountFamily& family) {
      return std::abs(frame.time_by_counts(family, procs, work, {}) / value - 1) > kTold;
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

/// Whether a point is at this process count and work, which may be rounded.
bool is_at(const auto& point, double procs, double work) {
  constexpr double kRounding = 1e-9;
  return point.procs == procs && std::abs(point.work - work) <= kRounding * work;
}

/// Runs at a profiled point show nothing new about a law that has no point there: for example, a
/// single process waits for nobody, so such runs never say how long others wait.
Model as_if_run(Model model, double procs, double work, int reps) {
  const bool is_profiled = profiled_point(model, procs, work) != nullptr;
  const auto confirm_law = [&](TimeLaw* law) {
    if (!is_profiled ||
        std::ranges::any_of(law->points, [&](const FitPoint& p) { return is_at(p, procs, work); }))
      confirm(procs, work, reps, law);
  };
  for (KernelModel& k : model.kernels) {
    confirm_accesses(work / procs, &k);
    confirm_law(&k.law);
  }
  for (CommModel& c : model.comm)
    if (c.law && procs > 1) confirm_law(&*c.law);
  for (PartModel* part : {&model.off_cpu, &model.start, &model.end})
    if (part->law) confirm_law(&*part->law);
  return model;
}

/// The profiled counts, and others between and beyond them with the same pattern. If all profiled
/// counts are squares or cubes, so are the others, even if the counts are powers of two as well:
/// many programs run only with squares or cubes. If all are both, as 1 and 64 are, either will do.
std::vector<int> usual_candidates(const Model& model, int most) {
  const std::vector<int> profiled = model.process_counts();
  std::set<int> counts(profiled.begin(), profiled.end());
  std::vector<int> more = counts_like_profiled(profiled, model.min_procs(), most, kLeastRatio);
  std::vector<int> exponents = {2, 3};  // of which all profiled counts are powers
  std::erase_if(exponents, [&](int exponent) {
    return !std::ranges::all_of(profiled, [&](int count) { return is_power(count, exponent); });
  });
  if (!exponents.empty())
    std::erase_if(more, [&](int count) {
      return std::ranges::none_of(exponents, [&](int e) { return is_power(count, e); });
    });
  counts.insert(more.begin(), more.end());
  return {counts.begin(), counts.end()};
}

/// Replaces *best if the verdict is not sure yet, and becomes surer by enough and by more.
void consider(const SharperVerdict& verdict, std::optional<SharperVerdict>* best) {
  if (verdict.probability >= kSureVerdict || verdict.gain() < kLeastVerdictGain) return;
  if (!*best || verdict.gain() > (*best)->gain()) *best = verdict;
}

/// The verdict that becomes surest by a run, given predictions before and after it.
std::optional<SharperVerdict> sharper_verdict(const Model& model, const Prediction& before,
                                              const Prediction& after) {
  std::optional<SharperVerdict> best;
  for (const PredictedKernel& k : before.kernels) {
    if (!k.bound_probability || model.kernels[k.index].max_share < kLeastShareForVerdict) continue;
    const PredictedKernel& then = after.kernel(k.index);
    if (then.bound == k.bound)
      consider({k.index, k.bound, *k.bound_probability, then.bound_probability.value_or(0)}, &best);
  }
  return best;
}

/// For each set of costs in MemorySplit::ways, ln of the time that tells the sets apart: with small
/// data, the core's time per unit of computation; with a slow core, the kernel's time relative to
/// that at the profiled frequency.
std::vector<double> ln_times(const MemorySplit& split, NextRun::Kind kind, double procs,
                             double work) {
  std::vector<double> times;
  for (const MemorySplit::Costs& costs : split.ways) {
    const double time =
        kind == NextRun::Kind::kSmallData
            ? costs.core_s
            : split.time_s(costs.slowed({.core = 1 / kSlowFrequency}), procs, work) /
                  split.time_s(costs, procs, work);
    times.push_back(std::log(std::max(time, kLeastTime)));
  }
  return times;
}

/// Standard deviation of ln of the median time of `reps` runs.
double sigma_of_runs(const KernelModel& kernel, NextRun::Kind kind, int reps) {
  std::vector<double> sigmas;
  for (const FitPoint& p : kernel.points)
    sigmas.push_back(std::max({p.rel_sigma, p.rel_sampling, kLeastSigma}));
  const double sigma = median(sigmas) * median_factor(std::max(reps, 1));
  // A change of frequency is seen as a ratio of two times.
  return kind == NextRun::Kind::kSlowCore ? std::sqrt(2.0) * sigma : std::hypot(sigma, kOtherSize);
}

/// The probability that the likelier bound is expected to have after a run: the mean over the sets
/// of costs, each of which in turn is assumed to be true. The farther the time of another set is
/// from its time, the less weight the other keeps. `times` are in units of their standard
/// deviation.
double expected_probability(const std::vector<double>& times,
                            const std::vector<double>& elasticities) {
  double sum = 0;
  for (const double measured : times) {
    double all = 0;
    double memory = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      // The measured time has an error, too, so the difference has twice the variance.
      const double weight = std::exp(-0.25 * square(times[i] - measured));
      all += weight;
      if (elasticities[i] > 0.5) memory += weight;
    }
    sum += std::max(memory, all - memory) / all;
  }
  return sum / static_cast<double>(times.size());
}

/// Replaces the sets of costs that the run would rule out if it took the median of their times.
void confirm_costs(const std::vector<double>& times, std::vector<MemorySplit::Costs>* ways) {
  const double measured = median(times);
  std::vector<std::size_t> kept, ruled_out;
  for (std::size_t i = 0; i < times.size(); ++i)
    (std::abs(times[i] - measured) <= std::sqrt(2.0) * kRuledOut ? kept : ruled_out).push_back(i);
  if (kept.empty()) return;
  std::size_t next = 0;
  for (const std::size_t i : ruled_out) {
    const double fits_below = (*ways)[i].fits_below;
    (*ways)[i] = (*ways)[kept[next++ % kept.size()]];
    (*ways)[i].fits_below = fits_below;
  }
}

/// Collects possible runs, with what each would do for the prediction.
class Planner {
 public:
  Planner(const Model& model, const NextRunOptions& options, bool with_verdicts)
      : model_(model),
        options_(options),
        with_verdicts_(with_verdicts),
        wanted_{.procs = options.at},
        sizes_(model, wanted_),
        predictor_(model),
        now_(predictor_.predict(wanted_)) {
    add_usual_runs();
  }

  void add_other_kinds() {
    add_run_that_shows_costs(NextRun::Kind::kSmallData, 1);
    add_run_that_shows_costs(NextRun::Kind::kSlowCore, kFrequencies);
    add_larger_caches();
  }

  /// By falling gain per core-hour.
  std::vector<NextRun> sorted() {
    std::ranges::stable_sort(runs_, std::greater{}, &NextRun::gain_per_core_hour);
    return std::move(runs_);
  }

 private:
  double work_at_end() const { return sizes_.work_at(options_.at); }
  double width(const Prediction& p) const {
    return options_.width ? options_.width(p) : relative_width(p.time);
  }

  /// A run, made with `times` as many repetitions as usual.
  NextRun run_at(NextRun::Kind kind, int procs, int times = 1) const {
    NextRun run{.kind = kind, .procs = procs};
    run.is_new =
        std::ranges::none_of(model_.points, [&](const ModelPoint& p) { return p.procs == procs; });
    const ModelPoint* const profiled = profiled_point(model_, procs, sizes_.work_at(procs));
    run.time_s = profiled ? profiled->elapsed_s : predictor_.predict({.procs = procs}).time.time_s;
    run.core_hours = options_.reps * times * procs * run.time_s / 3600;
    run.width_before = width(now_);
    return run;
  }

  /// Adds the run, which would change the model to `model_after`, if it would help or is usual.
  void add(NextRun run, const Model& model_after) {
    const Prediction after = predict(model_after, wanted_);
    const bool is_usual = run.kind == NextRun::Kind::kAsProfiled;
    run.width_after = width(after);
    if (with_verdicts_ && (is_usual || run.kind == NextRun::Kind::kLargerCaches))
      run.verdict = sharper_verdict(model_, now_, after);
    if (is_usual || run.verdict || run.narrowing() >= kLeastNarrowing)
      runs_.push_back(std::move(run));
  }

  void add_usual_runs() {
    const int most = options_.most_procs > 0 ? options_.most_procs : std::max(options_.at / 2, 1);
    for (const int procs :
         options_.candidates.empty() ? usual_candidates(model_, most) : options_.candidates)
      if (procs <= most && (!options_.can_run || options_.can_run(procs)))
        add(run_at(NextRun::Kind::kAsProfiled, procs),
            as_if_run(model_, procs, sizes_.work_at(procs), options_.reps));
  }

  /// Such runs show how much of the time of kernels memory takes. They are made at the smallest
  /// profiled process count, `times` times. A smaller problem takes less time than is assumed here,
  /// a slow core slightly more.
  void add_run_that_shows_costs(NextRun::Kind kind, int times) {
    NextRun run = run_at(kind, model_.min_procs(), times);
    const double work = sizes_.work_at(run.procs);
    Model after = model_;
    for (std::size_t i = 0; i < model_.kernels.size(); ++i) {
      const KernelModel& kernel = model_.kernels[i];
      const std::optional<MemorySplit>& split = kernel.law.split;
      if (!split || kernel.points.empty() || split->from == "stalls" ||
          (kind == NextRun::Kind::kSlowCore && split->from == "frequencies"))  // such runs exist
        continue;
      std::vector<double> ln = ln_times(*split, kind, run.procs, work);
      const double sigma = sigma_of_runs(kernel, kind, options_.reps);
      for (double& t : ln) t /= sigma;
      sharpen(i, ln, &run);
      confirm_costs(ln, &after.kernels[i].law.split->ways);
    }
    add(std::move(run), after);
  }

  /// Sets the run's verdict to that of a kernel if it becomes surer than the present one. `times`
  /// as in expected_probability().
  void sharpen(std::size_t index, const std::vector<double>& times, NextRun* run) const {
    const KernelModel& kernel = model_.kernels[index];
    const std::string& bound = now_.kernel(index).bound;
    if (kernel.max_share < kLeastShareForVerdict || bound == kBoundByNetwork ||
        bound == kBoundByWaiting)
      return;
    const double memory = kernel.law.split->memory_bound(options_.at, work_at_end());
    consider({index, memory > 0.5 ? "memory" : "compute", std::max(memory, 1 - memory),
              expected_probability(
                  times, kernel.law.split->memory_elasticities(options_.at, work_at_end()))},
             &run->verdict);
  }

  /// Simulations that show where the data of a process begin to fit into its caches.
  void add_larger_caches() {
    if (!can_look_ahead(model_, options_.at, work_at_end())) return;
    NextRun run = run_at(NextRun::Kind::kLargerCaches, model_.max_procs());
    const double doublings = std::log2(static_cast<double>(options_.at) / run.procs);
    run.core_hours = std::ceil(doublings) * kSimulatedSlowdown * simulated_share() * run.procs *
                     run.time_s / 3600;
    Model after = model_;
    for (KernelModel& kernel : after.kernels)
      if (kernel.law.split)
        for (MemorySplit::Costs& costs : kernel.law.split->ways) costs.fits_below = 0;
    add(std::move(run), after);
  }

  /// The share of the largest run that is simulated, as far as the numbers of calls show.
  double simulated_share() const {
    double share = 1;
    for (const CountModel& c : model_.counts) {
      if (c.calls_points.empty()) continue;
      const FitPoint& last = c.calls_points.back();
      const double rounds = last.value / last.procs;
      if (rounds >= kEnoughRounds && (share == 1 || kSimulatedRounds / rounds > share))
        share = kSimulatedRounds / rounds;
    }
    return share;
  }

  const Model& model_;
  const NextRunOptions& options_;
  const bool with_verdicts_;
  const Scenario wanted_;
  const ScenarioSizes sizes_;
  const Predictor predictor_;
  const Prediction now_;
  std::vector<NextRun> runs_;
};

}  // namespace

const ModelPoint* profiled_point(const Model& model, double procs, double work) {
  const auto found = std::ranges::find_if(
      model.points, [&](const ModelPoint& p) { return is_at(p, procs, work); });
  return found == model.points.end() ? nullptr : &*found;
}

double relative_width(const TimeEstimate& time) {
  return time.time_s > 0 ? (time.high_s - time.low_s) / time.time_s : 0;
}

std::vector<NextRun> rank_next_runs(const Model& model, const NextRunOptions& options) {
  return Planner(model, options, false).sorted();
}

std::vector<NextRun> plan_runs(const Model& model, const NextRunOptions& options) {
  Planner planner(model, options, true);
  planner.add_other_kinds();
  return planner.sorted();
}

int narrowing_runs_up_to(const Model& model, const Scenario& target) {
  const bool is_as_profiled = !target.what_if.any() && target.params.empty() &&
                              target.scaling.value_or(model.scaling) == model.scaling;
  if (!is_as_profiled) return 0;
  return std::max(target.procs / 2, 1);
}

std::optional<NextRun> narrowing_run(const Model& model, const Scenario& target, int reps) {
  const int most_procs = narrowing_runs_up_to(model, target);
  if (most_procs == 0) return std::nullopt;
  std::vector<NextRun> runs =
      rank_next_runs(model, {.at = target.procs, .most_procs = most_procs, .reps = reps});
  const double best = runs.empty() ? 0 : std::ranges::max(runs, {}, &NextRun::gain).gain();
  std::erase_if(runs, [best](const NextRun& run) {
    return run.gain() < std::max(kWorthARun, kNearlyAsGood * best);
  });
  if (runs.empty()) return std::nullopt;
  return *std::ranges::min_element(runs, {}, &NextRun::core_hours);
}

}  // namespace apmt
