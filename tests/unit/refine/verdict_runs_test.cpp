// Tests which runs are proposed to find out whether computation or memory bounds a kernel. The
// costs that agree with the previous runs are planted.
#include "refine/verdict_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using Kind = VerdictRun::Kind;
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

std::vector<Kind> kinds(const std::vector<VerdictRun>& runs) {
  std::vector<Kind> list;
  for (const VerdictRun& run : runs) list.push_back(run.kind);
  return list;
}

TEST(VerdictRuns, BothRunsTellCostsApartThatMakeEqualTimes) {
  // The time is 10 with either costs.
  const std::vector<VerdictRun> runs = verdict_runs(
      model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}}), kAtProcs, 3);
  EXPECT_THAT(kinds(runs), ElementsAre(Kind::kSmallData, Kind::kSlowCore));
  EXPECT_GT(runs[0].gain_per_core_hour(), 2 * runs[1].gain_per_core_hour())
      << "a slow core needs runs at three frequencies";
  for (const VerdictRun& run : runs) {
    EXPECT_EQ(run.kernel, 0u);
    EXPECT_EQ(run.procs, 2);
    EXPECT_DOUBLE_EQ(run.probability, 0.5);
    EXPECT_GT(run.expected_probability, 0.95);
    EXPECT_GT(run.core_hours, 0);
  }
}

TEST(VerdictRuns, ARunIsProposedOnlyIfItsTimeDiffers) {
  // Both sets of costs have the same cost of computation, so only another core frequency shows how
  // much memory costs.
  EXPECT_THAT(
      kinds(verdict_runs(model_with({{.core_s = 4, .blocked = 1}, {.core_s = 4, .blocked = 16}}),
                         kAtProcs, 3)),
      ElementsAre(Kind::kSlowCore));
  // Memory takes nearly half or a little more than half of the time. No run can measure such a
  // small difference.
  EXPECT_THAT(
      verdict_runs(model_with({{.core_s = 5.001, .blocked = 5}, {.core_s = 5, .blocked = 5.001}}),
                   kAtProcs, 3),
      IsEmpty());
}

TEST(VerdictRuns, FewerOrNoisierRunsTellLess) {
  Model model = model_with({{.core_s = 5.1, .blocked = 4.9}, {.core_s = 4.9, .blocked = 5.1}});
  for (FitPoint& p : model.kernels.front().points) p.rel_sampling = 0.03;
  const auto of_small_data = [&](int reps) {
    const std::vector<VerdictRun> runs = verdict_runs(model, kAtProcs, reps);
    return runs.empty() ? 0.5 : runs.front().expected_probability;
  };
  EXPECT_LT(of_small_data(1), of_small_data(4));
  EXPECT_LT(of_small_data(4), of_small_data(100));
}

TEST(VerdictRuns, NoneForWhatIsSureOrWasCounted) {
  EXPECT_THAT(verdict_runs(model_with({{.core_s = 7, .blocked = 3}}), kAtProcs, 3), IsEmpty());
  EXPECT_THAT(
      verdict_runs(model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}}, "stalls"),
                   kAtProcs, 3),
      IsEmpty())
      << "stalls were counted, so another run would not change what is known";
}

TEST(VerdictRuns, AfterRunsAtOtherFrequenciesOnlyTheSmallSizeIsLeft) {
  EXPECT_THAT(
      kinds(verdict_runs(
          model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}}, "frequencies"),
          kAtProcs, 3)),
      ElementsAre(Kind::kSmallData));
}

TEST(VerdictRuns, ACoreThatMayTakeNoTimeIsNoObstacle) {
  EXPECT_THAT(kinds(verdict_runs(
                  model_with({{.core_s = 7, .blocked = 3}, {.core_s = 0, .blocked = 10}}, "spread"),
                  kAtProcs, 3)),
              ElementsAre(Kind::kSmallData, Kind::kSlowCore));
}

TEST(VerdictRuns, NoneForAKernelThatHardlyTakesTime) {
  Model model = model_with({{.core_s = 7, .blocked = 3}, {.core_s = 2, .blocked = 8}});
  model.kernels.front().max_share = 0.01;
  EXPECT_THAT(verdict_runs(model, kAtProcs, 3), IsEmpty());
}

TEST(VerdictRuns, TheLikelierBoundIsNamed) {
  const MemorySplit::Costs computes{.core_s = 7, .blocked = 3}, waits{.core_s = 2, .blocked = 8};
  const auto first = [&](const std::vector<MemorySplit::Costs>& ways) {
    return verdict_runs(model_with(ways), kAtProcs, 3).front();
  };
  EXPECT_EQ(first({computes, computes, waits}).bound, "compute");
  EXPECT_EQ(first({computes, waits, waits}).bound, "memory");
  EXPECT_NEAR(first({computes, waits, waits}).probability, 2.0 / 3, 1e-9);
}

}  // namespace
}  // namespace apmt
