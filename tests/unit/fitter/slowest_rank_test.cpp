// Tests of which rank makes the others wait, and in which kernel.
#include "fitter/slowest_rank.h"

#include <gtest/gtest.h>

#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

RunProfile even_run(int procs = 4) {
  synthetic::PlantedRun run;
  run.procs = procs;
  run.kernel_s = {{"sweep", 1.0}, {"pack", 0.1}};
  return synthetic::profile(run);
}

std::optional<SlowestRank> slowest(RunProfile run) {
  const Experiment e = make_experiment({std::move(run)});
  return slowest_rank(e, e.points.front());
}

TEST(SlowestRank, IsNamedWithTheKernelInWhichItIsSlow) {
  RunProfile run = even_run();
  for (KernelProfile& kernel : run.kernels) {
    std::vector<std::uint64_t>& samples = kernel.counters["cpu_s"].samples;
    samples[2] += kernel.name == "sweep" ? 400'000'000 : 40'000'000;  // 0.4 and 0.04 s
  }
  const auto found = slowest(run);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 2);
  EXPECT_EQ(found->kernel, "sweep");
  EXPECT_NEAR(found->in_kernel_s, 0.3, 1e-9);
  EXPECT_NEAR(found->beyond_mean_s, 0.33, 1e-9);
}

TEST(SlowestRank, IsUnknownWhereARankWasNotRecorded) {
  RunProfile run = even_run();
  run.config.procs = 5;
  EXPECT_FALSE(slowest(run));
}

TEST(SlowestRank, IsNobodyAlone) {
  EXPECT_FALSE(slowest(even_run(1)));
}

}  // namespace
}  // namespace apmt
