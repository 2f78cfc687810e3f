// Tests of the loop that refines a model: which run comes next, which part causes the error, and
// when the loop stops.
#include "refine/closed_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fitter/fit/fit.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;
using End = LoopResult::End;

constexpr int kAt = 128;

/// Collectives grow as log2(P) up to eight processes; beyond these, a term linear in P is added.
synthetic::PlantedRun bent_run(int procs, int repetition) {
  synthetic::PlantedRun run = synthetic::halo_run(procs, repetition);
  run.coll_s = 0.2 * std::log2(procs) + (procs > 8 ? 0.1 * (procs - 8) : 0);
  for (auto& [name, seconds] : run.kernel_s) seconds *= 1 + 0.004 * (repetition % 3 - 1);
  run.coll_s *= 1 + 0.01 * (repetition % 3 - 1);
  return run;
}

/// A program with known times, which the loop can run.
class Loop : public ::testing::Test {
 protected:
  Loop() { make({2, 4, 8, 16}); }
  void make(const std::vector<int>& counts) {
    for (const int procs : counts)
      for (int n = 1; n <= 2; ++n)
        runs_.push_back(synthetic::profile(bent_run(procs, n + ++made_[procs])));
  }
  Experiment experiment() const { return make_experiment(runs_); }
  LoopOptions options() const {
    LoopOptions loop;
    loop.target_error = 0.1;
    loop.budget_core_hours = 100;
    loop.next.at = kAt;
    loop.next.reps = 2;
    loop.fit = synthetic::fit_options();
    return loop;
  }
  LoopHands hands() {
    LoopHands h;
    h.measured = [this] { return experiment(); };
    h.spent = [this] { return spent_; };
    h.make = [this](const LoopStep& step) {
      make({step.run.procs});
      spent_ += step.run.core_hours;
      return true;
    };
    return h;
  }
  std::vector<RunProfile> runs_;
  std::map<int, int> made_;
  double spent_ = 0;
};

TEST_F(Loop, NamesThePartThatMakesTheError) {
  const LoopState state = look(experiment(), options());
  ASSERT_FALSE(state.culprits.empty());
  EXPECT_EQ(state.culprits.front().part, "comm_coll_s");
  EXPECT_THAT(state.culprits.front().words, HasSubstr("collectives"));
  EXPECT_LT(state.culprits.front().error_s, 0) << "more was measured than predicted";
  EXPECT_GT(state.culprits.front().share, 0.5);
}

TEST_F(Loop, NamesTheVolumeWhereTheCountsErr) {
  for (RunProfile& run : runs_)
    for (MpiRow& row : run.mpi)
      if (row.op == "MPI_Allreduce" && run.config.procs == 16) {
        row.calls *= 3;
        row.bytes_sent *= 3;
      }
  EXPECT_EQ(look(experiment(), options()).culprits.front().words, "volume of MPI_Allreduce");
}

TEST_F(Loop, BringsTheErrorUnderTheTargetAndSaysSo) {
  const LoopResult result = run_loop(options(), hands());
  EXPECT_EQ(result.end, End::kTarget) << result.why;
  EXPECT_GT(result.before.error(), 0.1);
  EXPECT_LE(result.after.error(), 0.1);
  ASSERT_FALSE(result.steps.empty());
  EXPECT_THAT(result.steps.front().because, HasSubstr("collectives"));
  EXPECT_GT(result.steps.front().measured_s, 0);
  for (const LoopStep& step : result.steps) EXPECT_LE(step.run.procs, kAt / 2);
}

TEST_F(Loop, ComparesAStepWithTheRunOfItsSize) {
  LoopHands both_sizes = hands();
  both_sizes.make = [&](const LoopStep& step) {
    make({step.run.procs});
    RunProfile small = runs_.back();
    small.config.params["n"] = 512;  // half of the usual size
    small.times.wall_s.per_rank.assign(small.times.wall_s.per_rank.size(), 1);
    runs_.push_back(small);
    return true;
  };
  const LoopResult result = run_loop(options(), both_sizes);
  ASSERT_FALSE(result.steps.empty());
  EXPECT_GT(result.steps.front().measured_s, 1.001);
}

TEST_F(Loop, StopsAtTheBudget) {
  LoopOptions poor = options();
  poor.budget_core_hours = 1e-6;
  const LoopResult result = run_loop(poor, hands());
  EXPECT_EQ(result.end, End::kBudget);
  EXPECT_TRUE(result.steps.empty());
  EXPECT_THAT(result.why, HasSubstr("budget"));
}

TEST_F(Loop, StopsWhereNoRunWouldHelp) {
  LoopOptions near = options();
  near.next.most_procs = 16;  // all counts within reach have been run
  const LoopResult result = run_loop(near, hands());
  EXPECT_EQ(result.end, End::kNoHelp) << result.why;
  EXPECT_THAT(result.why, HasSubstr("--most-procs"));
}

TEST_F(Loop, PlansOnlyWithoutHands) {
  LoopHands only_eyes = hands();
  only_eyes.make = nullptr;
  const LoopResult result = run_loop(options(), only_eyes);
  EXPECT_EQ(result.end, End::kPlanned);
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(result.steps.front().measured_s, 0);
  EXPECT_EQ(runs_.size(), 8U);
}

TEST_F(Loop, ARunThatFailsEndsItAndCalledAgainItGoesOn) {
  LoopHands broken = hands();
  int calls = 0;
  broken.make = [&](const LoopStep&) { return ++calls > 1; };
  EXPECT_EQ(run_loop(options(), broken).end, End::kStopped);
  EXPECT_EQ(run_loop(options(), hands()).end, End::kTarget);
}

TEST_F(Loop, NextRunsAreRankedByWhatTheyTellForTheirCost) {
  const Model model = fit(experiment(), synthetic::fit_options());
  NextRunOptions next = options().next;
  const std::vector<NextRun> runs = rank_next_runs(model, next);
  ASSERT_GE(runs.size(), 5U);
  for (std::size_t i = 1; i < runs.size(); ++i)
    EXPECT_GE(runs[i - 1].gain_per_core_hour(), runs[i].gain_per_core_hour());
  const auto gain = [&](int procs) {
    for (const NextRun& run : runs)
      if (run.procs == procs) return run.gain();
    return -1.0;
  };
  EXPECT_GT(gain(64), gain(2)) << "a run near the target gains more than one far from it";
  EXPECT_GT(gain(64), 0.1);
  next.candidates = {24, 48};
  EXPECT_EQ(rank_next_runs(model, next).size(), 2U);
  next.can_run = [](int procs) { return procs == 48; };
  ASSERT_EQ(rank_next_runs(model, next).size(), 1U);
  EXPECT_EQ(rank_next_runs(model, next).front().procs, 48);
  const double cost = rank_next_runs(model, next).front().core_hours;
  next.reps *= 3;
  EXPECT_DOUBLE_EQ(rank_next_runs(model, next).front().core_hours, 3 * cost);
}

}  // namespace
}  // namespace apmt
