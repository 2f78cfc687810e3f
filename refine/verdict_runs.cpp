#include "refine/verdict_runs.h"

#include <algorithm>
#include <cmath>

#include "base/square.h"
#include "fitter/prediction/prediction.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr double kLeastTime = 1e-300;  // before logarithms are taken
constexpr double kSure = 0.8;          // a bound with this probability needs no further run
constexpr double kLeastGain = 0.05;    // least gain of probability
constexpr double kLeastSigma = 0.01;   // of ln time; repetitions may agree by chance
constexpr double kOtherSize = 0.03;    // CPI_core at another problem size differs by about this
constexpr double kLeastShare = 0.02;   // of compute time; smaller kernels are not worth a run
constexpr int kFrequencies = 3;        // that apmt refine --frequency uses by default

/// For each set of costs in MemorySplit::ways, ln of the time that tells the sets apart: with small
/// data, the core's time per unit of computation; with a slow core, the kernel's time relative to
/// that at the profiled frequency.
std::vector<double> ln_times(const MemorySplit& split, VerdictRun::Kind kind, double procs,
                             double work) {
  std::vector<double> times;
  for (const MemorySplit::Costs& costs : split.ways) {
    const double time =
        kind == VerdictRun::Kind::kSmallData
            ? costs.core_s
            : split.time_s(costs.slowed({.core = 1 / kSlowFrequency}), procs, work) /
                  split.time_s(costs, procs, work);
    times.push_back(std::log(std::max(time, kLeastTime)));
  }
  return times;
}

/// Standard deviation of ln of the median time of `reps` runs.
double sigma_of_runs(const KernelModel& kernel, VerdictRun::Kind kind, int reps) {
  std::vector<double> sigmas;
  for (const FitPoint& p : kernel.points)
    sigmas.push_back(std::max({p.rel_sigma, p.rel_sampling, kLeastSigma}));
  const double sigma = median(sigmas) * median_factor(std::max(reps, 1));
  // A change of frequency is seen as a ratio of two times.
  return kind == VerdictRun::Kind::kSlowCore ? std::sqrt(2.0) * sigma
                                             : std::hypot(sigma, kOtherSize);
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

}  // namespace

std::vector<VerdictRun> verdict_runs(const Model& model, int at, int reps) {
  std::vector<VerdictRun> runs;
  const ScenarioSizes sizes(model, {.procs = at, .params = {}, .scaling = {}});
  const int procs = model.min_procs();
  const double run_s = predict(model, {.procs = procs, .params = {}, .scaling = {}}).time.time_s;
  for (std::size_t i = 0; i < model.kernels.size(); ++i) {
    const KernelModel& kernel = model.kernels[i];
    if (!kernel.law.split || kernel.points.empty() || kernel.law.split->from == "stalls" ||
        kernel.max_share < kLeastShare)
      continue;
    const double memory = kernel.law.split->memory_bound(at, sizes.work_at(at));
    VerdictRun run;
    run.kernel = i;
    run.procs = procs;
    run.bound = memory > 0.5 ? "memory" : "compute";
    run.probability = std::max(memory, 1 - memory);
    if (run.probability >= kSure) continue;
    const std::vector<double> elasticities =
        kernel.law.split->memory_elasticities(at, sizes.work_at(at));
    for (const auto kind : {VerdictRun::Kind::kSmallData, VerdictRun::Kind::kSlowCore}) {
      const bool is_slow = kind == VerdictRun::Kind::kSlowCore;
      if (is_slow && kernel.law.split->from == "frequencies") continue;  // such runs exist
      std::vector<double> times = ln_times(*kernel.law.split, kind, procs, sizes.work_at(procs));
      const double sigma = sigma_of_runs(kernel, kind, reps);
      for (double& t : times) t /= sigma;
      run.kind = kind;
      run.core_hours = reps * procs * run_s / 3600 * (is_slow ? kFrequencies : 1);
      run.expected_probability = expected_probability(times, elasticities);
      if (run.gain() >= kLeastGain) runs.push_back(run);
    }
  }
  std::stable_sort(runs.begin(), runs.end(), [](const VerdictRun& a, const VerdictRun& b) {
    return a.gain_per_core_hour() > b.gain_per_core_hour();
  });
  return runs;
}

}  // namespace apmt
