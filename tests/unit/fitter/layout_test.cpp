// Tests that runs with one process count but different layouts are separate points, and that
// warnings say so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "fitter/runs/experiment.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::halo_run;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

RunProfile placed(int procs, int nodes, int repetition = 1) {
  RunProfile run = synthetic::profile(halo_run(procs, repetition));
  run.config.nodes = nodes;
  run.config.max_ranks_per_node = procs / nodes;
  return run;
}

RunProfile clocked(int procs, double hz, int repetition = 1) {
  RunProfile run = placed(procs, 1, repetition);
  run.config.frequency_hz = hz;
  return run;
}

std::vector<std::size_t> runs_at_points(const Experiment& e) {
  std::vector<std::size_t> counts;
  for (const ExperimentPoint& p : e.points) counts.push_back(p.runs.size());
  return counts;
}

TEST(Layouts, NodesMakePointsOfTheirOwn) {
  // The runs of both layouts are mixed, repetition by repetition, as a campaign records them.
  const Experiment e = make_experiment({placed(4, 2, 1), placed(4, 1, 1), placed(4, 1, 2),
                                        placed(4, 2, 2), placed(4, 1, 3), placed(2, 1)});
  EXPECT_EQ(runs_at_points(e), (std::vector<std::size_t>{1, 3, 2}));
  EXPECT_EQ(e.points[1].nodes, 1);
  EXPECT_EQ(e.points[2].nodes, 2);
  EXPECT_EQ(e.points[2].max_ranks_per_node, 2);
  for (const ExperimentPoint& point : e.points)
    for (std::size_t r = 0; r < point.runs.size(); ++r) {
      EXPECT_EQ(e.runs[point.runs[r]].config.nodes, point.nodes);
      if (r > 0) {
        EXPECT_LT(e.runs[point.runs[r - 1]].config.repetition,
                  e.runs[point.runs[r]].config.repetition);
      }
    }
  EXPECT_EQ(e.scaling, Scaling::kStrong);
  EXPECT_THAT(e.warnings, Contains(HasSubstr("the runs at P = 4 have 2 layouts (1 node; 2 nodes, "
                                             "2 processes on the fullest)")));
}

TEST(Layouts, ThreadsMakePointsOfTheirOwn) {
  std::vector<RunProfile> runs = {placed(4, 1, 1), placed(4, 1, 2)};
  runs[0].config.threads_per_rank = 2;
  EXPECT_EQ(make_experiment(runs).points.size(), 2u);
  runs[1].config.threads_per_rank = 2;
  EXPECT_EQ(make_experiment(runs).points.size(), 1u);
}

TEST(Layouts, FrequenciesAreTheSameUpToFivePercent) {
  const auto points = [](std::vector<double> hz) {
    std::vector<RunProfile> runs;
    for (std::size_t i = 0; i < hz.size(); ++i)
      runs.push_back(clocked(4, hz[i], static_cast<int>(i) + 1));
    return runs_at_points(make_experiment(std::move(runs)));
  };
  EXPECT_EQ(points({2.40e9, 2.50e9, 2.45e9}), (std::vector<std::size_t>{3}));
  EXPECT_EQ(points({2.4e9, 1.6e9, 2.4e9}), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(points({2.4e9, 0, 2.4e9}), (std::vector<std::size_t>{3})) << "0: not measured";
}

TEST(Layouts, WeakScalingStaysWeakInTwoLayouts) {
  std::vector<RunProfile> runs;
  for (const int nodes : {1, 2})
    for (const int p : {2, 4}) {
      RunProfile run = synthetic::profile(halo_run(p, 1, 32.0 * p));
      run.config.nodes = nodes;
      run.config.max_ranks_per_node = p / nodes;
      runs.push_back(std::move(run));
    }
  EXPECT_EQ(make_experiment(runs).scaling, Scaling::kWeak);
}

/// On a curve over P, two layouts at P = 4 count as one point. A fit of two unit costs needs more
/// than two points, so the law is a recipe.
TEST(Layouts, ALayoutIsNoFurtherProcessCount) {
  std::vector<RunProfile> runs = {placed(2, 1), placed(4, 1), placed(4, 2)};
  for (RunProfile& run : runs)
    for (double& s : run.times.mpi_p2p_s.per_rank) s *= 1 + 0.01 * run.config.procs;
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  for (const CommModel& comm : model.comm)
    if (comm.part == "p2p") {
      EXPECT_EQ(comm.points.size(), 3u);
      EXPECT_EQ(comm.law->kind, TimeLaw::Kind::kRecipe);
    }
}

TEST(Layouts, APredictionBetweenThemIsSaid) {
  const auto warnings = [](const std::vector<RunProfile>& runs) {
    const Model model = model_from_json(
        to_json(fit(make_experiment(runs), synthetic::fit_options())), "model.json");
    const Prediction p = predict(model, {.procs = 4, .params = {}, .scaling = {}});
    EXPECT_EQ(p.measured_s.has_value(), model.points.size() == 3);
    return p.warnings;
  };
  const auto says = Contains(HasSubstr("the runs at P = 4 differ in layout"));
  EXPECT_THAT(warnings({placed(2, 1), placed(4, 1), placed(4, 2), placed(8, 1)}), says);
  EXPECT_THAT(warnings({placed(2, 1), placed(4, 2), placed(8, 1)}), Not(says));
}

}  // namespace
}  // namespace apmt
