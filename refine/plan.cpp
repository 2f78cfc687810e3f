#include "refine/plan.h"

#include <algorithm>
#include <cmath>

#include "base/square.h"
#include "fitter/computation/cache_check.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr double kLeastTime = 1e-300;     // before logarithms are taken
constexpr double kLeastNarrowing = 0.05;  // of the interval, or it is not worth a row
constexpr double kLeastSigma = 0.01;      // of ln time; repetitions may agree by chance
constexpr double kOtherSize = 0.03;       // CPI_core at another problem size differs by about this
constexpr int kFrequencies = 3;           // that apmt refine --frequency uses by default
constexpr double kRuledOut = 2;           // standard deviations
// Of apmt simulate: how much slower programs run, and the rounds that it simulates by default, if a
// run has at least so many.
constexpr double kSimulatedSlowdown = 75;
constexpr double kSimulatedRounds = 12;
constexpr double kEnoughRounds = 60;

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
/// of costs (MemorySplit::ways). Each set in turn is assumed to be the true one, and its predicted
/// time to be the time that the run measures. The farther the time of another set is from this
/// time, the less weight the other set keeps. `times` are in units of their standard deviation.
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
  const auto is_kept = [&](std::size_t i) {
    return std::abs(times[i] - measured) <= std::sqrt(2.0) * kRuledOut;
  };
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (is_kept(i)) kept.push_back(i);
  for (std::size_t i = 0, next = 0; i < times.size() && !kept.empty(); ++i) {
    if (is_kept(i)) continue;
    const double fits_below = (*ways)[i].fits_below;
    (*ways)[i] = (*ways)[kept[next++ % kept.size()]];
    (*ways)[i].fits_below = fits_below;
  }
}

class Planner {
 public:
  Planner(const Model& model, NextRunOptions options)
      : model_(model),
        options_(std::move(options)),
        wanted_{.procs = options_.at, .params = {}, .scaling = {}},
        sizes_(model, wanted_),
        now_(predict(model, wanted_)),
        runs_(rank_next_runs(model, options_)) {}

  std::vector<NextRun> run() {
    add_run_that_shows_costs(NextRun::Kind::kSmallData, 1);
    add_run_that_shows_costs(NextRun::Kind::kSlowCore, kFrequencies);
    add_larger_caches();
    std::stable_sort(runs_.begin(), runs_.end(), [](const NextRun& a, const NextRun& b) {
      return a.gain_per_core_hour() > b.gain_per_core_hour();
    });
    return std::move(runs_);
  }

 private:
  double work_at_end() const { return sizes_.work_at(options_.at); }

  NextRun run_at(NextRun::Kind kind, int procs) const {
    NextRun run{.kind = kind, .procs = procs, .is_new = false};
    run.time_s = predict(model_, {.procs = procs, .params = {}, .scaling = {}}).time.time_s;
    run.width_before = relative_width(now_.time);
    return run;
  }

  void add(NextRun run, const Model& model_after) {
    const Prediction after = predict(model_after, wanted_);
    run.width_after = relative_width(after.time);
    if (run.kind == NextRun::Kind::kLargerCaches)
      run.verdict = sharper_verdict(model_, now_, after);
    if (run.verdict || run.narrowing() >= kLeastNarrowing) runs_.push_back(std::move(run));
  }

  /// Such runs show how much of the time of kernels memory takes. They are made at the smallest
  /// profiled process count, `times` times. A smaller problem takes less time than is assumed here,
  /// a slow core slightly more.
  void add_run_that_shows_costs(NextRun::Kind kind, int times) {
    NextRun run = run_at(kind, model_.min_procs());
    run.core_hours = options_.reps * times * run.procs * run.time_s / 3600;
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
    const bool is_bound_elsewhere =
        std::any_of(now_.kernels.begin(), now_.kernels.end(), [&](const PredictedKernel& k) {
          return k.index == index && (k.bound == kBoundByNetwork || k.bound == kBoundByWaiting);
        });
    if (kernel.max_share < kLeastShareForVerdict || is_bound_elsewhere) return;
    const double memory = kernel.law.split->memory_bound(options_.at, work_at_end());
    const SharperVerdict verdict{
        index, memory > 0.5 ? "memory" : "compute", std::max(memory, 1 - memory),
        expected_probability(times,
                             kernel.law.split->memory_elasticities(options_.at, work_at_end()))};
    if (verdict.probability >= kSureVerdict || verdict.gain() < kLeastVerdictGain) return;
    if (!run->verdict || verdict.gain() > run->verdict->gain()) run->verdict = verdict;
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
  const NextRunOptions options_;
  const Scenario wanted_;
  const ScenarioSizes sizes_;
  const Prediction now_;
  std::vector<NextRun> runs_;
};

}  // namespace

std::vector<NextRun> plan_runs(const Model& model, NextRunOptions options) {
  options.width = {};
  options.with_verdicts = true;
  return Planner(model, std::move(options)).run();
}

}  // namespace apmt
