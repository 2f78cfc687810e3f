// Tests of workloads as a law of the working set: counts that are powers must be exact, between the
// analysed sizes and beyond them.
#include "devices/offload/workload_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/offload/planted.h"

namespace apmt::devices {
namespace {

using namespace testing;

AnalysedWorkload analysed(double points) {
  return {points, workload_of(analysed_kernel("sweep", points, 2))};
}

/// A wavefront over a square of points: the longer the side, the more steps, the more operations in
/// each step, and the more synchronisations. It touches only the sides of the square.
AnalysedWorkload wavefront(double points) {
  const auto count = [](double x) { return static_cast<std::uint64_t>(std::llround(x)); };
  kernels::KernelAnalysis k = analysed_kernel("wavefront", points, 2);
  const double side = std::sqrt(points);
  for (auto* schedule : {&k.floating_point, &k.all_operations}) {
    const double operations = static_cast<double>((*schedule)->operations);
    const double depth = 3 * side, width = operations / depth;
    (*schedule)->depth = count(depth);
    (*schedule)->widths = {{count(width), count(width), count(depth), count(operations)}};
  }
  k.synchronisation->by_trip_counts = count(5 * side);
  k.loops[0].footprint_bytes = 32 * side;
  return {points, workload_of(k)};
}

void expect_same(const std::optional<Schedule>& found, const std::optional<Schedule>& truth) {
  ASSERT_TRUE(found && truth);
  EXPECT_NEAR(found->depth / truth->depth, 1, 1e-6);
  EXPECT_NEAR(found->operations / truth->operations, 1, 1e-6);
  for (const double processors : {1.0, 100.0, 1e4, 1e9})
    EXPECT_NEAR(found->levels_on(processors) / truth->levels_on(processors), 1, 1e-6) << processors;
}

void expect_exact_powers(AnalysedWorkload (*make)(double points)) {
  const WorkloadLaw law({make(1 << 18), make(1 << 14)});
  for (const double points : {1024.0, 16384.0, 65536.0, 262144.0, 16777216.0}) {
    SCOPED_TRACE(points);
    const Workload truth = make(points).workload;
    const Workload w = law.at(points);
    EXPECT_NEAR(w.flops / truth.flops, 1, 1e-6);
    EXPECT_NEAR(w.instructions / truth.instructions, 1, 1e-6);
    EXPECT_NEAR(w.invocations, kCalls, 1e-6);
    EXPECT_NEAR(w.load_chain->depth, truth.load_chain->depth, 1e-6 * truth.load_chain->depth);
    EXPECT_NEAR(w.lines->touched_bytes() / truth.lines->touched_bytes(), 1, 1e-6);
    EXPECT_NEAR(*w.footprint_bytes / *truth.footprint_bytes, 1, 1e-6);
    EXPECT_NEAR(*w.synchronisations, *truth.synchronisations, 1e-6 * *truth.synchronisations);
    expect_same(w.floating_point, truth.floating_point);
    expect_same(w.all_operations, truth.all_operations);
    for (const double cache : {0.5, 0.9, 1.1, 2.0})
      EXPECT_NEAR(w.lines->misses(8 * points * cache) / truth.lines->misses(8 * points * cache), 1,
                  0.01)
          << "in " << cache;
  }
}

TEST(WorkloadLaw, PowersAreExact) { expect_exact_powers(&analysed); }

TEST(WorkloadLaw, PowersAreExactIfTheDepthGrows) { expect_exact_powers(&wavefront); }

TEST(WorkloadLaw, LevelsOfEachWidthGrowAtTheirOwnRate) {
  // The schedule has 20 levels of one operation and 10 levels of n operations.
  const auto with = [](double n) {
    AnalysedWorkload a = analysed(n);
    a.workload.all_operations = Schedule{30, 20 + 10 * n, {{20, 20}, {10, 10 * n}}};
    return a;
  };
  const WorkloadLaw law({with(1e3), with(1e4)});
  const Schedule s = *law.at(1e6).all_operations;
  EXPECT_NEAR(s.depth, 30, 1e-9);
  for (const double processors : {1.0, 1e3, 1e5, 1e7})
    EXPECT_NEAR(s.levels_on(processors) / (20 + 10 * std::max(1.0, 1e6 / processors)), 1, 0.02);
}

TEST(WorkloadLaw, IdiomsGrowLikeOtherCounts) {
  const auto with = [](double n) {
    AnalysedWorkload a = analysed(n);
    a.workload.idioms = {{"planted.cpp:1", "gather", 3 * n, 24 * n, 8 * n * n}};
    a.workload.share_idioms = 0.5;
    return a;
  };
  const Workload w = WorkloadLaw({with(1e3), with(4e3)}).at(1e5);
  ASSERT_EQ(w.idioms.size(), 1u);
  EXPECT_EQ(w.idioms[0].idiom, "gather");
  EXPECT_NEAR(w.idioms[0].references, 3e5, 1e-3);
  EXPECT_NEAR(w.idioms[0].bytes, 24e5, 1e-2);
  EXPECT_NEAR(w.idioms[0].footprint_bytes / 8e10, 1, 1e-9);
  EXPECT_NEAR(w.share_idioms, 0.5, 1e-12);
  EXPECT_TRUE(WorkloadLaw({with(1e3), analysed(4e3)}).at(1e5).idioms.empty());
}

TEST(WorkloadLaw, AnIdiomOfOneAnalysisAloneCountsAsOtherReferences) {
  const auto with = [](double n, bool has_both) {
    AnalysedWorkload a = analysed(n);
    a.workload.idioms = {{"planted.cpp:1", "gather", n, 8 * n, 8 * n}};
    if (has_both) a.workload.idioms.push_back({"planted.cpp:2", "scatter", 3 * n, 24 * n, 8 * n});
    a.workload.share_idioms = has_both ? 0.8 : 0.2;
    return a;
  };
  for (const bool in_smaller : {false, true}) {
    const Workload w = WorkloadLaw({with(1e3, in_smaller), with(4e3, !in_smaller)}).at(1e5);
    ASSERT_EQ(w.idioms.size(), 1u);
    EXPECT_EQ(w.idioms[0].idiom, "gather");
    EXPECT_NEAR(w.share_idioms, 0.2, 1e-12);  // that of the gather in both analyses
  }
}

TEST(WorkloadLaw, SaysHowFarItExtrapolates) {
  const WorkloadLaw two({analysed(1e3), analysed(4e3)});
  EXPECT_EQ(two.extrapolation(2e3), 1);
  EXPECT_NEAR(two.extrapolation(40e3), 10, 1e-9);
  EXPECT_NEAR(two.extrapolation(500), 2, 1e-9);
  EXPECT_TRUE(two.covers(1e9));
  const WorkloadLaw one({analysed(1e3), analysed(1e3)});
  EXPECT_TRUE(one.covers(1e3));
  EXPECT_FALSE(one.covers(2e3));
}

TEST(WorkloadLaw, WhatOneAnalysisLacksIsUnknown) {
  AnalysedWorkload bare = analysed(1e3);
  bare.workload.all_operations.reset();
  bare.workload.synchronisations.reset();
  const Workload w = WorkloadLaw({bare, analysed(4e3)}).at(2e3);
  EXPECT_FALSE(w.all_operations);
  EXPECT_FALSE(w.synchronisations);
  EXPECT_TRUE(w.floating_point);
}

}  // namespace
}  // namespace apmt::devices
