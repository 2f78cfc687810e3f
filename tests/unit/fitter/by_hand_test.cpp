// Tests of small parts of the fitter against numbers worked out by hand. Tests with planted models
// (whose true laws are known) cannot replace them: the runs of planted models are computed with the
// same functions as the fit, so both could be wrong in the same way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process_grid.h"
#include "fitter/communication/comm_fit.h"
#include "fitter/laws/law_catalog.h"
#include "fitter/times/law_frame.h"
#include "fitter/times/time_law_eval.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

TEST(ByHand, GridsAreAsSquareAsTheirProcessCountAllows) {
  using Grid = std::array<int, 3>;
  EXPECT_EQ(process_grid(4, 2), (Grid{2, 2, 1}));
  EXPECT_EQ(process_grid(9, 2), (Grid{3, 3, 1}));
  EXPECT_EQ(process_grid(12, 2), (Grid{4, 3, 1}));
  EXPECT_EQ(process_grid(7, 2), (Grid{7, 1, 1}));
  EXPECT_EQ(process_grid(8, 3), (Grid{2, 2, 2}));
  EXPECT_EQ(process_grid(12, 3), (Grid{3, 2, 2}));
}

TEST(ByHand, ATreeTakesLog2StepsARingOneLessThanItsProcesses) {
  Hypothesis calls;
  calls.terms.push_back({.coefficient = 80});
  Feature messages;
  messages.counts = {calls};
  EXPECT_DOUBLE_EQ(messages.per_rank(8, 1), 10);
  messages.steps = Feature::Steps::kTree;
  EXPECT_DOUBLE_EQ(messages.per_rank(8, 1), 30);
  messages.steps = Feature::Steps::kRing;
  EXPECT_DOUBLE_EQ(messages.per_rank(8, 1), 70);
}

TEST(ByHand, TenRepetitionsSayMoreOfTheNoiseThanTwo) {
  const auto noise = [](int of_noisy, int of_quiet) {
    return noise_prior({{2, 1, 1, 0.2, 0, of_noisy}, {4, 1, 1, 0.02, 0, of_quiet}},
                       recipe_priors("leaf", false))
        .mean;
  };
  EXPECT_GT(noise(10, 2), noise(2, 10));
}

TEST(ByHand, FiveRunsAreSurerThanOne) {
  const auto points = [](int of_last) {
    return std::vector<FitPoint>{
        {1, 1, 8, 0.1, 0, 5}, {2, 1, 4, 0.1, 0, 5}, {4, 1, 3, of_last > 1 ? 0.1 : 0, 0, of_last}};
  };
  // The variance of a median of five is pi / 10 of that of a single run.
  EXPECT_THAT(extra_sigmas(points(1)),
              testing::ElementsAre(0, 0, testing::DoubleNear(0.1 * std::sqrt(1 - 0.314159), 3e-4)));
  EXPECT_THAT(extra_sigmas(points(5)), testing::Each(0));
  // The last time is above the line of the others. It moves the law less if it is a single run.
  const auto fitted = [&](int of_last) {
    TimeLaw law;
    law.kind = TimeLaw::Kind::kRecipe;
    law.prior = "leaf";
    law.points = points(of_last);
    return TimeLawEvaluator(law).centre(4, 1, {});
  };
  EXPECT_LT(fitted(1), 0.99 * fitted(5));
}

/// The profile of the run without the recording of its last rank.
RunProfile without_its_last_rank(const synthetic::PlantedRun& run) {
  RunProfile p = synthetic::profile(run);
  RankTimes& t = p.times;
  for (Column* column : {&t.main_s, &t.mpi_s, &t.mpi_p2p_s, &t.mpi_coll_s, &t.mpi_other_s,
                         &t.init_s, &t.finalize_s, &t.wall_s, &t.main_cpu_s, &t.sampled_cpu_s})
    column->per_rank.pop_back();
  for (KernelProfile& kernel : p.kernels) kernel.counters["cpu_s"].samples.pop_back();
  p.host_of_rank.pop_back();
  p.health.ranks_present -= 1;
  return p;
}

TEST(ByHand, CallsOfLostRanksAreMadeUpForByTheOthers) {
  const auto run = [](int procs, double calls) {
    synthetic::PlantedRun planted;
    planted.procs = procs;
    planted.kernel_s = {{"sweep", 8.0 / procs}};
    planted.ops = {{"MPI_Allreduce", "collective", calls, 8 * calls}};
    return planted;
  };
  const Experiment e =
      make_experiment({synthetic::profile(run(2, 200)), without_its_last_rank(run(4, 300)),
                       synthetic::profile(run(8, 800))});
  const std::vector<CountModel> counts =
      fit_counts(e, {1, 1, 1}, read_law_catalog(synthetic::fit_options().configs));
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_DOUBLE_EQ(counts[0].calls_points[1].value, 400);
  EXPECT_DOUBLE_EQ(counts[0].bytes_points[1].value, 3200);
}

}  // namespace
}  // namespace apmt
