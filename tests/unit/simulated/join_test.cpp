#include "profiler/simulated/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"

namespace apmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kCaches = "D1 48 KiB, LL 16 MiB";

RunProfile measured(int procs) {
  RunProfile p;
  p.config.procs = procs;
  p.grade = Grade::kC;
  for (const auto& [name, source] : {std::pair("solve", "solve.c"), std::pair("init", "a.c"),
                                     std::pair("init", "b.c"), std::pair("gone", "gone.c")}) {
    KernelProfile k;
    k.id = {"app", name, source};
    k.counters["cpu_s"] = {Provenance::kClock, "clock", 0.004,
                           std::vector<std::uint64_t>(static_cast<std::size_t>(procs), 100)};
    p.kernels.push_back(k);
  }
  return p;
}

CallgrindProfile simulated(int rank, int ranks, std::uint64_t window_calls = 0) {
  CallgrindProfile p;
  p.rank = rank;
  p.ranks = ranks;
  p.window_calls = window_calls;
  p.events = {"Ir", "Dr", "Dw", "D1mr", "D1mw", "DLmr", "DLmw"};
  const auto r = static_cast<std::uint64_t>(rank);
  p.costs[{"/x/app", "solve", "/src/solve.c"}] = {1000 + r, 300, 100, 30, 10, 3, 1};
  p.costs[{"/x/app", "solve.constprop.0", "/src/solve.c"}] = {10, 0, 0, 0, 0, 0, 0};
  p.costs[{"/x/app", "init", "/src/a.c"}] = {5, 0, 0, 0, 0, 0, 0};
  p.costs[{"/x/app", "init", "/src/b.c"}] = {7, 0, 0, 0, 0, 0, 0};
  p.costs[{"/lib/libc.so.6", "memcpy@@GLIBC_2.14", ""}] = {100, 0, 0, 0, 0, 0, 0};
  p.totals = {1122 + r, 300, 100, 30, 10, 3, 1};
  return p;
}

TEST(Join, GivesKernelsTheirCountsByRank) {
  RunProfile p = measured(2);
  add_simulated_counters({simulated(1, 2), simulated(0, 2)}, 0, kCaches, &p);
  EXPECT_EQ(p.grade, Grade::kB);
  const auto& solve = p.kernels[0].counters;
  EXPECT_THAT(solve.at("instructions").samples, ElementsAre(1010, 1011));
  EXPECT_EQ(solve.at("instructions").unit_per_sample, 1);
  EXPECT_EQ(solve.at("instructions").provenance, Provenance::kSimulated);
  EXPECT_EQ(solve.at("instructions").event, "callgrind Ir");
  EXPECT_THAT(solve.at("hit_core").samples, ElementsAre(360, 360));
  EXPECT_THAT(solve.at("hit_LLC").samples, ElementsAre(36, 36));
  EXPECT_THAT(solve.at("acc_mm").samples, ElementsAre(4, 4));
  EXPECT_THAT(solve.at("acc_mm").event, HasSubstr(kCaches));
  EXPECT_FALSE(solve.contains("branch_misses")) << "branches were not simulated";
}

TEST(Join, AccessesThatAPrefetcherLeavesStandBesideAll) {
  RunProfile p = measured(1);
  add_simulated_counters({simulated(0, 1)}, 0, kCaches, &p);
  CallgrindProfile prefetched = simulated(0, 1);
  prefetched.costs[{"/x/app", "solve", "/src/solve.c"}] = {1000, 300, 100, 30, 10, 1, 0};
  add_demand_accesses({prefetched}, 0, kCaches, &p);
  const auto& solve = p.kernels[0].counters;
  EXPECT_THAT(solve.at("acc_mm").samples, ElementsAre(4));
  EXPECT_THAT(solve.at("hit_LLC").samples, ElementsAre(36));
  EXPECT_THAT(solve.at("acc_mm_demand").samples, ElementsAre(1));
}

TEST(Join, TellsFunctionsOfOneNameApartBySource) {
  RunProfile p = measured(1);
  add_simulated_counters({simulated(0, 1)}, 0, kCaches, &p);
  EXPECT_EQ(p.kernels[1].counters.at("instructions").total(), 5);
  EXPECT_EQ(p.kernels[2].counters.at("instructions").total(), 7);
}

TEST(Join, WhatWasNotSimulatedIsAbsentNotZero) {
  RunProfile p = measured(1);
  add_simulated_counters({simulated(0, 1)}, 0, kCaches, &p);
  EXPECT_FALSE(p.kernels[3].counters.contains("instructions"));
}

TEST(Join, AWindowStandsForTheWholeRun) {
  RunProfile p = measured(1);
  add_simulated_counters({simulated(0, 1, 4)}, 200, kCaches, &p);
  EXPECT_DOUBLE_EQ(p.kernels[0].counters.at("instructions").total(), 1010 * 50.0);
}

TEST(Join, TellsHowMuchOfTheTimeItCounted) {
  EXPECT_DOUBLE_EQ(counted_share({simulated(0, 1)}, measured(1)), 0.75)
      << "three of four functions, a quarter of the samples each";
  RunProfile unsampled;
  unsampled.config.procs = 1;
  EXPECT_EQ(counted_share({simulated(0, 1)}, unsampled), 1) << "nothing was missed";
}

TEST(Join, SaysWhatNoSampleHit) {
  RunProfile p = measured(1);
  add_simulated_counters({simulated(0, 1)}, 0, kCaches, &p);
  EXPECT_THAT(p.health.notes, ElementsAre(HasSubstr("9 % of the simulated instructions")));
}

TEST(Join, RefusesRanksThatAreNotTheRuns) {
  RunProfile p = measured(2);
  EXPECT_THROW(add_simulated_counters({simulated(0, 2)}, 0, kCaches, &p), InputError);
  EXPECT_THROW(add_simulated_counters({simulated(0, 2), simulated(0, 2)}, 0, kCaches, &p),
               InputError);
  EXPECT_THROW(add_simulated_counters({simulated(0, 4), simulated(1, 4)}, 0, kCaches, &p),
               InputError);
  EXPECT_THROW(add_simulated_counters({simulated(0, 2, 3), simulated(1, 2, 4)}, 9, kCaches, &p),
               InputError);
}

}  // namespace
}  // namespace apmt
