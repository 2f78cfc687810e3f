// Tests of which functions get laws of their own: those with a large share of the time, and those
// whose time, allowing for the sampling error, does not fall with more processes. All others form
// the rest.
#include "fitter/kernels/kernel_set.h"

#include <gtest/gtest.h>

#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::PlantedRun;
using synthetic::profiles;

/// `kernels` gives two numbers for each kernel, by name: the kernel takes first * P^second seconds.
/// `sample_s` sets the sampling error.
KernelSet selected(const std::map<std::string, std::pair<double, double>>& kernels, double sample_s,
                   double threshold = 0.05, const std::vector<int>& counts = {2, 4, 8}) {
  std::vector<PlantedRun> runs;
  for (const int p : counts) {
    PlantedRun run;
    run.procs = p;
    run.sample_s = sample_s;
    for (const auto& [name, law] : kernels)
      run.kernel_s[name] = law.first * std::pow(p, law.second);
    runs.push_back(run);
  }
  const Experiment e = make_experiment(profiles(runs));
  return select_kernels(e, std::vector<double>(e.points.size(), 1), threshold);
}

const KernelModel* find(const KernelSet& set, const std::string& name) {
  for (const KernelModel& k : set.kernels)
    if (k.name == name) return &k;
  return nullptr;
}

TEST(KernelSet, ThresholdAtAnyPoint) {
  // "late" has its largest share at P = 8.
  const KernelSet set =
      selected({{"big", {100, -1}}, {"late", {1.0, -0.3}}, {"small", {0.5, -1}}}, 1e-6);
  ASSERT_NE(find(set, "big"), nullptr);
  EXPECT_EQ(find(set, "big")->role, KernelRole::kCritical);
  // The share of "late" at P = 8 is 4.1 %: 1.0 * 8^-0.3 = 0.536 of 12.5 + 0.536 + 0.0625. This is
  // below a threshold of 5 % and above one of 4 %.
  EXPECT_EQ(find(set, "late"), nullptr);
  const KernelSet lower =
      selected({{"big", {100, -1}}, {"late", {1.0, -0.3}}, {"small", {0.5, -1}}}, 1e-6, 0.04);
  ASSERT_NE(find(lower, "late"), nullptr);
  EXPECT_EQ(find(lower, "late")->role, KernelRole::kCritical);
  EXPECT_EQ(find(lower, "small"), nullptr);
  ASSERT_NE(find(lower, "(rest)"), nullptr);
  EXPECT_EQ(lower.kernels.back().role, KernelRole::kRest);
  EXPECT_EQ(lower.functions, 3);
}

TEST(KernelSet, WhatDoesNotFallIsNonScalable) {
  const KernelSet set =
      selected({{"big", {100, -1}}, {"serial", {0.2, 0}}, {"slow", {0.2, -0.4}}}, 1e-5);
  ASSERT_NE(find(set, "serial"), nullptr);
  EXPECT_EQ(find(set, "serial")->role, KernelRole::kNonScalable);
  EXPECT_EQ(find(set, "slow"), nullptr);  // falls slowly, but clearly
}

TEST(KernelSet, AHandfulOfSamplesProvesNothing) {
  // A kernel takes 0.02 s at every P. With a sampling interval of 10 ms, this is two samples per
  // rank; with 10 us, two thousand.
  const KernelSet set = selected({{"big", {100, -1}}, {"serial", {0.02, 0}}}, 0.01);
  EXPECT_EQ(find(set, "serial"), nullptr);
  const KernelSet sharper = selected({{"big", {100, -1}}, {"serial", {0.02, 0}}}, 1e-5);
  ASSERT_NE(find(sharper, "serial"), nullptr);
}

TEST(KernelSet, FewSamplesGiveNoLawOfItsOwn) {
  // Thirty functions take 1 / 30 of the time each. On any process count, each has about 13 samples
  // in the coarse case, and about 130 in the fine one.
  std::map<std::string, std::pair<double, double>> kernels;
  for (int i = 0; i < 30; ++i) kernels["f" + std::to_string(i)] = {1.3, -1};
  const KernelSet coarse = selected(kernels, 0.1, 0.03);
  ASSERT_EQ(coarse.kernels.size(), 1u);
  EXPECT_EQ(coarse.kernels.front().role, KernelRole::kRest);
  EXPECT_EQ(coarse.too_few_samples, 30);
  const KernelSet fine = selected(kernels, 0.01, 0.03);
  EXPECT_EQ(fine.kernels.size(), 30u);
  EXPECT_EQ(fine.too_few_samples, 0);
  kernels = {{"most", {1.3, -1}}, {"little", {0.3, -1}}};
  const KernelSet two = selected(kernels, 0.1, 0.03);
  EXPECT_NE(find(two, "most"), nullptr);
  EXPECT_EQ(find(two, "little"), nullptr);
}

/// Runs in which the MPI calls of "exchange" and those of "twin" each take `share` of the time. Two
/// functions are named "twin".
Experiment calling(double share) {
  std::vector<PlantedRun> planted(3);
  for (std::size_t i = 0; i < 3; ++i) {
    planted[i].procs = 2 << i;
    planted[i].p2p_s = 5;
    planted[i].kernel_s = {
        {"big", 100.0 / (2 << i)}, {"exchange", 0.1 / (2 << i)}, {"twin", 0.1 / (2 << i)}};
  }
  std::vector<RunProfile> runs = profiles(planted);
  for (RunProfile& run : runs) {
    const double in_calls_s = share * run.times.main_s.total();
    for (const char* caller : {"exchange", "twin", "not sampled", ""})
      run.mpi.push_back({"MPI_Sendrecv", "p2p", run.config.procs, 8, "same-node", caller, 100, 100,
                         100, in_calls_s, in_calls_s, 0, 1});
    KernelProfile other = run.kernels.back();
    other.id.source = "another.cpp";
    run.kernels.push_back(other);
  }
  return make_experiment(runs);
}

TEST(KernelSet, AFunctionWithALargeShareInMpiCallsIsAKernel) {
  const KernelSet set = select_kernels(calling(0.06), {1, 1, 1}, 0.05);
  ASSERT_NE(find(set, "exchange"), nullptr);
  EXPECT_EQ(find(set, "exchange")->role, KernelRole::kCritical);
  EXPECT_LT(find(set, "exchange")->max_share, 0.01);
  EXPECT_EQ(find(set, "twin"), nullptr) << "which of the two made the calls is not known";
  EXPECT_EQ(find(set, "not sampled"), nullptr);
  EXPECT_EQ(find(select_kernels(calling(0.04), {1, 1, 1}, 0.05), "exchange"), nullptr);
}

TEST(KernelSet, CoverageAndSharesAddUp) {
  const KernelSet set =
      selected({{"a", {60, -1}}, {"b", {30, -1}}, {"c", {5, -1}}, {"d", {5, -1}}}, 1e-6, 0.07);
  for (const double c : set.coverage) EXPECT_NEAR(c, 0.9, 1e-6);
  const KernelModel* rest = find(set, "(rest)");
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(rest->functions, 2);
  EXPECT_NEAR(rest->max_share, 0.1, 1e-6);
  EXPECT_NEAR(rest->points[0].value, 5, 1e-4);
}

TEST(KernelSet, AFunctionAbsentFromSomeRunsCountsAsZeroThere) {
  std::vector<PlantedRun> runs(3);
  for (std::size_t i = 0; i < 3; ++i) {
    runs[i].procs = 2 << i;
    runs[i].kernel_s["a"] = 1;
    if (i == 2) runs[i].kernel_s["b"] = 1;
  }
  const Experiment e = make_experiment(profiles(runs));
  const KernelSet set = select_kernels(e, {1, 1, 1}, 0.05);
  const KernelModel* b = find(set, "b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->points[0].value, 0);
  EXPECT_NEAR(b->points[2].value, 1, 1e-9);
}

}  // namespace
}  // namespace apmt
