#include "refine/narrowing_run.h"

#include <algorithm>

namespace apmt {
namespace {

constexpr double kWorthARun = 0.1;     // least narrowing, as a share of the interval's width
constexpr double kNearlyAsGood = 0.6;  // least narrowing, as a share of what the best run achieves

}  // namespace

int narrowing_runs_up_to(const Scenario& target) {
  if (target.what_if.any() || !target.params.empty()) return 0;
  return std::max(target.procs / 2, 1);
}

std::optional<NextRun> narrowing_run(const Model& model, const Scenario& target, int reps) {
  NextRunOptions options;
  options.most_procs = narrowing_runs_up_to(target);
  if (options.most_procs == 0) return std::nullopt;
  options.at = target.procs;
  options.reps = reps;
  std::vector<NextRun> runs = rank_next_runs(model, options);
  double most = 0;
  for (const NextRun& run : runs) most = std::max(most, run.gain());
  std::erase_if(runs, [most](const NextRun& run) {
    return run.gain() < std::max(kWorthARun, kNearlyAsGood * most);
  });
  if (runs.empty()) return std::nullopt;
  return *std::min_element(runs.begin(), runs.end(), [](const NextRun& a, const NextRun& b) {
    return a.core_hours < b.core_hours;
  });
}

}  // namespace apmt
