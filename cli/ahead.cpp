#include "cli/ahead.h"

#include <algorithm>

#include "fitter/outlook.h"
#include "refine/next_run.h"

namespace apmt {
namespace {

constexpr double kWorthARun = 0.1;     // least narrowing, as a share of the interval's width
constexpr double kNearlyAsGood = 0.6;  // least narrowing, as a share of that by the best run

std::optional<NarrowingRun> narrowing_run(const Model& model, const Scenario& target) {
  // Runs are proposed on the profiled machine with the profiled sizes, so they narrow only
  // predictions for these.
  if (target.what_if.any() || !target.params.empty()) return std::nullopt;
  NextRunOptions options;
  options.at = target.procs;
  std::vector<NextRun> runs = rank_next_runs(model, options);
  double most = 0;
  for (const NextRun& run : runs) most = std::max(most, run.gain());
  std::erase_if(runs, [most](const NextRun& run) {
    return run.gain() < std::max(kWorthARun, kNearlyAsGood * most);
  });
  if (runs.empty()) return std::nullopt;
  const NextRun& run = *std::min_element(
      runs.begin(), runs.end(),
      [](const NextRun& a, const NextRun& b) { return a.core_hours < b.core_hours; });
  return NarrowingRun{run.procs, options.reps, run.core_hours, run.gain()};
}

}  // namespace

Ahead look_beyond(const Predictor& predictor, const Model& model, const Scenario& target,
                  std::optional<double> deadline_s) {
  return {look_ahead(predictor, model, target, deadline_s), narrowing_run(model, target)};
}

}  // namespace apmt
