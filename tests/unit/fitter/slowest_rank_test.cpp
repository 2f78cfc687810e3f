// Tests of which rank makes the others wait, and in which kernel.
#include <gtest/gtest.h>

#include <random>

#include "fitter/communication/own_calls.h"
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
  run.times.main_s.per_rank[2] += 0.44;
  run.times.main_cpu_s.per_rank[2] += 0.44;
  const auto found = slowest(run);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 2);
  EXPECT_EQ(found->kernel, "sweep");
  EXPECT_NEAR(found->in_kernel_s, 0.3, 1e-9);
  EXPECT_NEAR(found->beyond_mean_s, 0.33, 1e-9);
}

/// A run in which all ranks compute for the same time. Each has a handful of samples; their number
/// is random, as with a real sampler. The CPU clocks do not help: each rank is off the CPU for half
/// of the time, which may be in MPI or outside it.
RunProfile sparse_run(unsigned seed, int procs = 64) {
  RunProfile run = even_run(procs);
  std::mt19937 random(seed);
  for (KernelProfile& kernel : run.kernels) {
    Counter& time = kernel.counters["cpu_s"];
    const double mean_s = kernel.name == "sweep" ? 0.016 : 0.004;
    time.unit_per_sample = 0.004;
    for (std::uint64_t& samples : time.samples)
      samples = std::poisson_distribution<std::uint64_t>(mean_s / 0.004)(random);
  }
  run.times.mpi_s.per_rank.assign(run.times.main_s.per_rank.size(), 1.1);
  run.times.main_s.per_rank.assign(run.times.main_s.per_rank.size(), 2.2);
  run.times.main_cpu_s.per_rank.assign(run.times.main_s.per_rank.size(), 1.1);
  return run;
}

TEST(SlowestRank, IsNotTheOneThatHappenedToGetMostSamples) {
  int named = 0;
  for (unsigned seed = 0; seed < 500; ++seed) named += slowest(sparse_run(seed)).has_value();
  EXPECT_LE(named, 5);
}

TEST(SlowestRank, IsFoundByFewSamplesIfItIsMuchSlower) {
  RunProfile run = sparse_run(1);
  for (KernelProfile& kernel : run.kernels)
    if (kernel.name == "sweep") kernel.counters["cpu_s"].samples[61] = 40;
  const auto found = slowest(run);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 61);
  EXPECT_EQ(found->kernel, "sweep");
}

TEST(SlowestRank, SamplesThatCameTogetherCountAsOne) {
  RunProfile run = sparse_run(1);
  for (KernelProfile& kernel : run.kernels) {
    Counter& time = kernel.counters["cpu_s"];
    if (kernel.name == "sweep") time.samples[61] = 40;
    time.squares = time.samples;
    if (kernel.name == "sweep") time.squares[61] = 20 * 20 + 20 * 20;  // 20 by each of two signals
  }
  EXPECT_FALSE(slowest(run));
}

TEST(SlowestRank, ClocksOfAVirtualClusterDecide) {
  RunProfile run = sparse_run(1);
  run.config.is_virtual = true;
  for (std::size_t r = 0; r < 64; ++r) run.times.main_cpu_s.per_rank[r] = r == 5 ? 0.021 : 0.020;
  for (KernelProfile& kernel : run.kernels)
    if (kernel.name == "sweep") kernel.counters["cpu_s"].samples[61] = 9;
  const auto found = slowest(run);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 5);
  EXPECT_NEAR(found->beyond_mean_s, 0.001 * 63 / 64, 1e-9);
  EXPECT_EQ(found->kernel, "") << "a sample is worth 4 ms, and the rank lacks 1 ms";
}

TEST(SlowestRank, ClocksBoundWhatSamplesSay) {
  RunProfile run = sparse_run(1);
  for (KernelProfile& kernel : run.kernels)
    if (kernel.name == "sweep") kernel.counters["cpu_s"].samples[61] = 40;
  for (std::size_t r = 0; r < 64; ++r) run.times.mpi_s.per_rank[r] = 2.18;  // 20 ms outside
  EXPECT_FALSE(slowest(run)) << "no rank is outside MPI for longer than the others";
  run.times.mpi_s.per_rank.assign(64, 0.02);
  for (std::size_t r = 0; r < 64; ++r) run.times.main_s.per_rank[r] = r == 7 ? 2.0 : 1.0;
  run.times.main_cpu_s = run.times.main_s;
  const auto found = slowest(run);
  ASSERT_TRUE(found) << "a rank that is not in MPI computes while its CPU clock runs";
  EXPECT_EQ(found->rank, 7);
  EXPECT_NEAR(found->beyond_mean_s, 63.0 / 64, 0.03);
}

TEST(SlowestRank, IsTheSameOneInEveryRun) {
  const auto run_with_late = [](int repetition, std::size_t rank) {
    RunProfile run = even_run();
    run.config.repetition = repetition;
    run.times.main_s.per_rank.assign(4, 3);
    run.times.mpi_s.per_rank.assign(4, 1.5);
    run.times.main_cpu_s.per_rank.assign(4, 1.5);
    run.kernels.front().counters["cpu_s"].samples[rank] += 200'000'000;
    return run;
  };
  const auto late = [&](std::vector<std::size_t> ranks) {
    std::vector<RunProfile> runs;
    for (const std::size_t rank : ranks)
      runs.push_back(run_with_late(static_cast<int>(runs.size()) + 1, rank));
    const Experiment e = make_experiment(std::move(runs));
    return slowest_rank(e, e.points.front());
  };
  EXPECT_TRUE(late({2, 2, 2}));
  EXPECT_FALSE(late({2, 0, 3}));
}

TEST(SlowestRank, IsUnknownWhereARankWasNotRecorded) {
  RunProfile run = even_run();
  run.config.procs = 5;
  EXPECT_FALSE(slowest(run));
}

TEST(SlowestRank, IsNobodyAlone) { EXPECT_FALSE(slowest(even_run(1))); }

}  // namespace
}  // namespace apmt
