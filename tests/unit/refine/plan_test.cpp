// Tests which runs are proposed. The costs of core and memory that agree with the previous runs are
// planted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "refine/next_run.h"
#include "tests/unit/fitter/planted_processor.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using Kind = NextRun::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kAtProcs = 64;

/// A model with two kernels. `ways` are the possible sets of the first kernel's costs per process,
/// which are the same at every P. The split of the second kernel is not known.
Model model_with(const std::vector<MemorySplit::Costs>& ways, const std::string& from = "counts") {
  Model model =
      synthetic::fit_runs({synthetic::halo_run(2), synthetic::halo_run(4), synthetic::halo_run(8)});
  Hypothesis per_process;
  per_process.terms = {{.coefficient = 1, .p_exponent = 1}};
  MemorySplit split;
  split.from = from;
  split.core = split.unhidden = split.transfers = per_process;
  split.ways = ways;
  for (KernelModel& kernel : model.kernels) kernel.law.split.reset();
  model.kernels.front().law.split = split;
  return model;
}

/// The proposed runs that are not at the profiled sizes.
std::vector<NextRun> other_runs(const Model& model, int reps = 3, int at = kAtProcs) {
  NextRunOptions options;
  options.at = at;
  options.reps = reps;
  std::vector<NextRun> runs = plan_runs(model, options);
  std::erase_if(runs, [](const NextRun& run) { return run.kind == Kind::kAsProfiled; });
  return runs;
}

std::vector<Kind> kinds(const std::vector<NextRun>& runs) {
  std::vector<Kind> list;
  for (const NextRun& run : runs) list.push_back(run.kind);
  return list;
}

TEST(Plan, BothRunsTellCostsApartThatMakeEqualTimes) {
  // The time is 10 with either costs.
  const std::vector<NextRun> runs =
      other_runs(model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}}));
  EXPECT_THAT(kinds(runs), ElementsAre(Kind::kSmallData, Kind::kSlowCore));
  EXPECT_GT(runs[0].gain_per_core_hour(), 2 * runs[1].gain_per_core_hour())
      << "a slow core needs runs at three frequencies";
  for (const NextRun& run : runs) {
    EXPECT_EQ(run.procs, 2);
    EXPECT_FALSE(run.is_new);
    ASSERT_TRUE(run.verdict);
    EXPECT_EQ(run.verdict->kernel, 0u);
    EXPECT_DOUBLE_EQ(run.verdict->probability, 0.5);
    EXPECT_GT(run.verdict->expected_probability, 0.95);
    EXPECT_GT(run.core_hours, 0);
  }
}

TEST(Plan, ARunIsProposedOnlyIfItsTimeDiffers) {
  // Both sets of costs have the same cost of computation, so only another core frequency shows how
  // much memory costs.
  EXPECT_THAT(
      kinds(other_runs(model_with({{.core_s = 4, .blocked = 1}, {.core_s = 4, .blocked = 16}}))),
      ElementsAre(Kind::kSlowCore));
  // Memory takes nearly half or a little more than half of the time. No run can measure such a
  // small difference.
  EXPECT_THAT(
      other_runs(model_with({{.core_s = 5.001, .blocked = 5}, {.core_s = 5, .blocked = 5.001}})),
      IsEmpty());
}

TEST(Plan, FewerOrNoisierRunsTellLess) {
  Model model = model_with({{.core_s = 5.1, .blocked = 4.9}, {.core_s = 4.9, .blocked = 5.1}});
  for (FitPoint& p : model.kernels.front().points) p.rel_sampling = 0.03;
  const auto of_small_data = [&](int reps) {
    const std::vector<NextRun> runs = other_runs(model, reps);
    return runs.empty() ? 0.5 : runs.front().verdict->expected_probability;
  };
  EXPECT_LT(of_small_data(1), of_small_data(4));
  EXPECT_LT(of_small_data(4), of_small_data(100));
}

TEST(Plan, NoneForWhatIsSureOrWasCounted) {
  EXPECT_THAT(other_runs(model_with({{.core_s = 7, .blocked = 3}})), IsEmpty());
  EXPECT_THAT(
      other_runs(model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}}, "stalls")),
      IsEmpty())
      << "stalls were counted, so another run would not change what is known";
}

TEST(Plan, AfterRunsAtOtherFrequenciesOnlyTheSmallSizeIsLeft) {
  EXPECT_THAT(kinds(other_runs(model_with(
                  {{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}}, "frequencies"))),
              ElementsAre(Kind::kSmallData));
}

TEST(Plan, ACoreThatMayTakeNoTimeIsNoObstacle) {
  EXPECT_THAT(kinds(other_runs(model_with(
                  {{.core_s = 7, .blocked = 3}, {.core_s = 0, .blocked = 10}}, "counts"))),
              ElementsAre(Kind::kSmallData, Kind::kSlowCore));
}

TEST(Plan, NoneForAKernelThatHardlyTakesTime) {
  Model model = model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}});
  model.kernels.front().max_share = 0.01;
  EXPECT_THAT(other_runs(model), IsEmpty());
}

TEST(Plan, TheLikelierBoundIsNamed) {
  const MemorySplit::Costs computes{.core_s = 7, .blocked = 3}, waits{.core_s = 2, .blocked = 8};
  const auto first = [&](const std::vector<MemorySplit::Costs>& ways) {
    return *other_runs(model_with(ways)).front().verdict;
  };
  EXPECT_EQ(first({computes, computes, waits}).bound, "compute");
  EXPECT_EQ(first({computes, waits, waits}).bound, "memory");
  EXPECT_NEAR(first({computes, waits, waits}).probability, 2.0 / 3, 1e-9);
}

/// In all runs, the kernel waits for memory for about half of its time. On 8 times as many
/// processes, its data may fit into the caches.
TEST(Plan, SimulationsWithLargerCachesNarrowTheIntervalOfAKernelInMemory) {
  const processor::Kernel sweep{.instructions = 1e11, .accesses = 1.3e9, .fits_from = 1e9};
  const Model model = processor::planted({{"sweep", sweep}}, 0.02);
  ASSERT_TRUE(model.kernels.front().law.split);
  NextRunOptions options;
  options.at = 64;
  const std::vector<NextRun> runs = plan_runs(model, options);
  const auto caches = std::find_if(
      runs.begin(), runs.end(), [](const NextRun& run) { return run.kind == Kind::kLargerCaches; });
  ASSERT_NE(caches, runs.end());
  EXPECT_GT(caches->narrowing(), 0.05);
  EXPECT_EQ(caches->procs, 8);

  Model without_counts = model;
  for (KernelModel& k : without_counts.kernels) k.metrics.clear();
  for (const NextRun& run : plan_runs(without_counts, options))
    EXPECT_NE(run.kind, Kind::kLargerCaches) << "no accesses were simulated";
}

TEST(Plan, RanksAllKindsByWhatTheyAchievePerCoreHour) {
  Model model = model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}});
  NextRunOptions options;
  options.at = kAtProcs;
  const std::vector<NextRun> runs = plan_runs(model, options);
  EXPECT_TRUE(std::is_sorted(runs.begin(), runs.end(), [](const NextRun& a, const NextRun& b) {
    return a.gain_per_core_hour() > b.gain_per_core_hour();
  }));
  std::set<Kind> all;
  for (const NextRun& run : runs) all.insert(run.kind);
  EXPECT_THAT(all, ElementsAre(Kind::kAsProfiled, Kind::kSmallData, Kind::kSlowCore));
}

TEST(Plan, NoRunIsMadeForTheCoreOfAKernelThatWaitsForOthers) {
  Model model = model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}});
  OwnCalls& calls = model.kernels.front().calls;
  calls.shares = {{.part = "coll", .group = "", .share = 1}};
  for (CommModel& comm : model.comm)
    if (comm.part == "coll") calls.shares.front().group = comm.group;
  constexpr int kMany = 4096;
  const Prediction p = predict(model, {.procs = kMany, .params = {}, .scaling = {}});
  const auto first = std::find_if(p.kernels.begin(), p.kernels.end(),
                                  [](const PredictedKernel& k) { return k.index == 0; });
  ASSERT_EQ(first->bound, kBoundByNetwork);
  EXPECT_THAT(other_runs(model, 3, kMany), IsEmpty());
}

}  // namespace
}  // namespace apmt
