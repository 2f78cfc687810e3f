// Tests of the caches that callgrind simulates for a rank.
#include <gtest/gtest.h>

#include "campaign/simulate.h"
#include "machine/topology.h"

namespace apmt {
namespace {

RunProfile measured_on(int ranks_per_node) {
  RunProfile measured;
  measured.config.procs = measured.config.max_ranks_per_node = ranks_per_node;
  measured.times.main_s.per_rank = {1};
  return measured;
}

double last_level_bytes(int ranks_per_node, const std::optional<MachineProfile>& machine = {}) {
  const SimulationPlan plan = plan_simulation(measured_on(ranks_per_node), 0, machine);
  for (const std::string& option : plan.cache_options)
    if (option.starts_with("--LL=")) return std::stod(option.substr(5));
  return 0;
}

TEST(SimulationPlan, RanksShareTheLastLevelOfTheirNode) {
  const std::vector<Cache> caches = caches_here();
  if (caches.size() < 2) GTEST_SKIP() << "the kernel reports " << caches.size() << " caches";
  const double whole = static_cast<double>(caches.back().size_bytes);
  const double core = static_cast<double>(caches[caches.size() - 2].size_bytes);
  constexpr double kRounding = 1.0 / 8;  // sizes are rounded to 2^n sets of 8 to 15 ways
  for (const int ranks : {1, 2, 64})
    EXPECT_NEAR(last_level_bytes(ranks) / std::max(whole / ranks, core), 1, kRounding) << ranks;
}

TEST(SimulationPlan, TheLastLevelIsAsLargeAsItWasMeasured) {
  const std::vector<Cache> caches = caches_here();
  if (caches.size() < 2) GTEST_SKIP() << "the kernel reports " << caches.size() << " caches";
  MachineProfile machine;
  machine.levels.push_back({.name = "LLC", .size_bytes = caches.back().size_bytes});
  EXPECT_EQ(last_level_bytes(1, machine), last_level_bytes(1)) << "no knee was seen";
  const double knee = 3.0 * static_cast<double>(caches[caches.size() - 2].size_bytes);
  machine.levels.back().knee_bytes = knee;
  EXPECT_NEAR(last_level_bytes(1, machine) / knee, 1, 1.0 / 8);
  EXPECT_NEAR(last_level_bytes(2, machine) / (knee / 2), 1, 1.0 / 8);
}

TEST(SimulationPlan, LargerCachesAreThoseOfARunWithMoreRanks) {
  const std::vector<Cache> caches = caches_here();
  if (caches.size() < 2) GTEST_SKIP() << "the kernel reports " << caches.size() << " caches";
  RunProfile measured = measured_on(2);
  MachineProfile machine;
  machine.cores = 8;
  const auto last_bytes = [&](double factor) {
    for (const std::string& option : plan_simulation(measured, 0, machine, factor).cache_options)
      if (option.starts_with("--LL=")) return std::stod(option.substr(5));
    return 0.0;
  };
  // The cache that the processor reports may be so large that valgrind refuses multiples of it.
  const double core = static_cast<double>(caches[caches.size() - 2].size_bytes);
  const double whole = 16 * core;
  machine.levels.push_back(
      {.name = "LLC", .size_bytes = caches.back().size_bytes, .knee_bytes = whole});
  const auto expected = [&](double factor, double ranks) {
    return factor * std::max(whole / ranks, core);
  };
  constexpr double kRounding = 1.0 / 8;
  EXPECT_NEAR(last_bytes(1) / expected(1, 2), 1, kRounding);
  EXPECT_NEAR(last_bytes(2) / expected(2, 4), 1, kRounding) << "more ranks fill the node first";
  EXPECT_NEAR(last_bytes(8) / expected(8, 8), 1, kRounding) << "then they use further nodes";
  measured.config.threads_per_rank = 4;
  EXPECT_NEAR(last_bytes(8) / expected(8, 2), 1, kRounding) << "the node is full";
  EXPECT_LT(last_bytes(1e6), 2e9) << "valgrind refuses larger caches";
  measured.config.nodes = 2;
  EXPECT_NEAR(last_bytes(4) / expected(4, 2), 1, kRounding) << "the nodes stay as full as they are";
}

TEST(SimulationPlan, APrefetcherIsAnOptionOfTheSameCaches) {
  const SimulationPlan plan = plan_simulation(measured_on(1), 0);
  std::vector<std::string> expected = plan.cache_options;
  expected.emplace_back("--simulate-hwpref=yes");
  EXPECT_EQ(with_prefetcher(plan).cache_options, expected);
}

}  // namespace
}  // namespace apmt
