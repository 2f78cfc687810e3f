// Tests with planted processors, on which the computation and memory times of a kernel are known.
// The fit must find them from times and counts alone.
#include "fitter/laws/memory_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "base/mean.h"
#include "fitter/computation/memory_evidence.h"
#include "fitter/fit/fit.h"
#include "fitter/mechanisms.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/planted_processor.h"

namespace apmt {
namespace {

using namespace processor;

TEST(MemorySplit, APlantedProcessorIsFoundExactly) {
  const std::map<std::string, Kernel> kernels = {
      {"crosses", {}},
      {"half", {.cpi = 0.6, .blocking = 0.4, .accesses = 2e9, .fits_from = 4, .fitting = 1e9}},
      {"late", {.cpi = 0.5, .blocking = 0.5, .accesses = 2e9, .fits_from = 8, .fitting = 2e8}},
      {"most", {.cpi = 0.4, .blocking = 0.7, .accesses = 4e9, .fits_from = 2, .fitting = 2e9}},
      {"waits", {.cpi = 1, .blocking = 0.9, .instructions = 2e10, .fits_from = 2, .fitting = 5e8}}};
  const Model model = planted(kernels);
  const Prediction p = predict(model, at(64));
  ASSERT_EQ(p.kernels.size(), kernels.size());
  double mem_s = 0;
  int large = 0;
  for (const PredictedKernel& k : p.kernels) {
    const Kernel& truth = kernels.at(k.name);
    ASSERT_TRUE(k.comp && k.mem) << k.name;
    EXPECT_NEAR(k.comp->time_s, truth.comp_s(64), 0.02 * truth.comp_s(64)) << k.name;
    // If memory takes less than a tenth of the time, 2 % of the memory time would be too strict a
    // limit; then the limit is 2 % of the whole time.
    const double whole_s = truth.mem_s(64) + truth.comp_s(64);
    const bool is_large = truth.mem_s(64) >= 0.1 * whole_s;
    large += is_large;
    EXPECT_NEAR(k.mem->time_s, truth.mem_s(64), 0.02 * (is_large ? truth.mem_s(64) : whole_s))
        << k.name;
    mem_s += truth.mem_s(64);
  }
  EXPECT_GE(large, 2);
  ASSERT_TRUE(p.parts.mem.has_value());
  EXPECT_NEAR(p.parts.mem->time_s, mem_s, 0.03 * mem_s);
}

TEST(MemorySplit, PartsAddUpAndLieInTheirIntervals) {
  const Model model = planted({{"crosses", {}}, {"waits", {.fits_from = 1e9}}}, 0.03);
  for (const int procs : {1, 8, 32, 256}) {
    const Prediction p = predict(model, at(procs));
    ASSERT_TRUE(p.parts.comp && p.parts.mem);
    double kernels_s = 0;
    for (const PredictedKernel& k : p.kernels) {
      kernels_s += k.time.time_s;
      EXPECT_NEAR(k.comp->time_s + k.mem->time_s, k.time.time_s, 1e-9 * k.time.time_s);
      for (const TimeEstimate& part : {*k.comp, *k.mem}) {
        EXPECT_GE(part.low_s, 0);
        EXPECT_LE(part.low_s, part.time_s);
        EXPECT_GE(part.high_s, part.time_s);
      }
    }
    EXPECT_NEAR(p.parts.comp->time_s + p.parts.mem->time_s, kernels_s, 1e-9 * kernels_s);
  }
}

/// Random programs (bench/fitter has more of them); the ratio of memory time to computation at one
/// process is log-uniform.
TEST(MemorySplit, VerdictsAreRightAndTheirProbabilitiesMeanWhatTheySay) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  int right = 0, likely = 0, likely_right = 0;
  constexpr int kPrograms = 40;
  for (int i = 0; i < kPrograms; ++i) {
    Kernel k;
    k.cpi = 0.4 * std::pow(4, uniform(random));
    k.blocking = 0.1 * std::pow(8, uniform(random));
    const double ratio = std::pow(30, 2 * uniform(random) - 1);
    k.fits_from = std::array{2, 4, 8}[i % 3];
    k.accesses = ratio * k.comp_s(1) / (k.blocking * kMemory_s);
    k.fitting = 0.01 * k.accesses;
    const Model model = planted({{"kernel", k}}, 0.05, static_cast<std::uint64_t>(i + 1));
    const Prediction p = predict(model, at(1));
    const bool memory = k.mem_s(1) > k.comp_s(1);
    ASSERT_TRUE(p.kernels.front().bound_probability.has_value()) << "program " << i;
    const double probability = *p.kernels.front().bound_probability;
    const bool is_right = (p.kernels.front().bound == "memory") == memory;
    right += is_right;
    if (probability >= 0.8 && probability <= 0.9) {
      ++likely;
      likely_right += is_right;
    }
  }
  std::printf("right: %d of %d; of those said with 80 to 90 %%: %d of %d\n", right, kPrograms,
              likely_right, likely);
  EXPECT_GE(right, 0.85 * kPrograms);
}

/// In a draw, a kernel's time and the parts of it have the same costs of core and memory.
TEST(MemorySplit, TimesOfDrawsFollowTheirCosts) {
  const Kernel k = {.cpi = 0.4, .blocking = 0.8, .accesses = 2e9, .fits_from = 1e9, .falls = 0.5};
  Model model = planted({{"a", k}, {"b", k}}, 0.03);  // one alone would be the whole time
  MemorySplit& split = *model.kernels.front().law.split;
  EXPECT_GT(split.posterior, 0.5);
  ASSERT_EQ(model.kernels.front().law.families.size(), 1U);
  EXPECT_EQ(model.kernels.front().law.families.front().features.size(), 1U) << "instructions alone";
  split.prior = 1e9;  // no curve is left
  const KernelTimes times = Predictor(model).kernel_times(at(512));
  const Draws& draws = times.kernel(0);
  const std::vector<double> ratios = split.ln_ratios(512, 1, 8, 1);
  const Draws ratios_of_draws = in_draws(ratios);
  double cross = 0, of_draws = 0, of_ways = 0, mean_draw = 0;
  for (const double d : draws) mean_draw += std::log(d) / kDraws;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double a = std::log(draws[i]) - mean_draw, b = ratios_of_draws[i] - mean(ratios);
    cross += a * b;
    of_draws += a * a;
    of_ways += b * b;
  }
  EXPECT_GT(cross / std::sqrt(of_draws * of_ways), 0.5);
  const double truth_s = k.comp_s(512) + k.mem_s(512);
  Draws sorted = draws;
  EXPECT_LT(quantile(&sorted, 0.1), truth_s);
  EXPECT_GT(quantile(&sorted, 0.9), truth_s);
}

/// If one size was profiled, another size counts through the work per process, but the cores that
/// share the bandwidth are as many as there are.
TEST(MemorySplit, OtherSizesCountThroughTheWorkPerProcess) {
  Model model = planted({{"kernel", {}}}, 0.03);
  MemorySplit& split = *model.kernels.front().law.split;
  ASSERT_EQ(split.only_work, 1);
  split.sharing.clear();
  const MemorySplit::Costs& costs = split.ways.front();
  EXPECT_DOUBLE_EQ(split.time_s(costs, 16, 2), split.time_s(costs, 8, 1));
  EXPECT_DOUBLE_EQ(split.shares(2, 2).front(), split.shares(1, 1).front());
  split.sharing = {{1, 1}, {16, 2}};
  const MemorySplit::Costs streams{.streamed = 1};
  EXPECT_DOUBLE_EQ(split.time_s(streams, 16, 2) / 2, split.time_s(streams, 8, 1) / 1.75);
}

/// A kernel waits for memory in all runs, on up to 8 processes. Beyond twice as many, its data may
/// begin to fit into the caches.
TEST(MemorySplit, BeyondTheRunsDataMayBeginToFit) {
  const std::map<std::string, Kernel> kernels = {{"waits", {.accesses = 4e9, .fits_from = 1e9}}};
  const Model model = planted(kernels, 0.02);
  const MemorySplit& split = *model.kernels.front().law.split;
  const auto fitting = [&](int procs) {
    int ways = 0;
    for (const double share : split.shares(procs, 1)) ways += share == 0;
    return ways / double(kWays);
  };
  EXPECT_EQ(fitting(16), 0);
  EXPECT_NEAR(fitting(64), 1 - std::pow(4, -0.15), 0.02);
  EXPECT_NEAR(fitting(512), 1 - std::pow(32, -0.15), 0.02);
  const Kernel& truth = kernels.at("waits");
  const auto time = [&](const Model& of) { return predict(of, at(64)).kernels.front().time; };
  EXPECT_LT(time(model).low_s, truth.comp_s(64)) << "if all data fit";
  EXPECT_GT(time(model).high_s, truth.comp_s(64) + truth.mem_s(64));
  Mechanisms off;
  off.caches_ahead = false;
  const WithMechanisms without(off);
  EXPECT_GT(time(planted(kernels, 0.02)).low_s, 1.5 * truth.comp_s(64));
}

/// Work that every process repeats, but whose instructions were not counted: the costs cannot give
/// the law of the time, which curves give instead.
TEST(MemorySplit, TimesThatCountsDoNotExplainFollowCurves) {
  const Kernel k = {.accesses = 1e7, .fits_from = 1e9, .serial = 0.1};
  Model model = planted({{"kernel", k}}, 0.01);
  EXPECT_LT(model.kernels.front().law.split->posterior, 0.05);
  const double with_costs_s = predict(model, at(16)).kernels.front().time.time_s;
  model.kernels.front().law.split->prior = 0;
  EXPECT_NEAR(predict(model, at(16)).kernels.front().time.time_s, with_costs_s,
              0.02 * with_costs_s);
}

/// In a simulation of a few rounds, a function that runs mostly before them has almost no counts.
TEST(MemorySplit, CountsOfAFractionOfTheTimeSplitNothing) {
  const Model model = planted(
      {{"before", {.cpi = 1e5, .instructions = 1e5, .accesses = 100, .fitting = 1}}, {"whole", {}}},
      0.02);
  for (const KernelModel& k : model.kernels)
    if (k.role == KernelRole::kCritical) {
      EXPECT_EQ(k.costs.has_value(), k.name == "whole");
    }
}

TEST(MemorySplit, WithoutAccessesThereIsNoSplit) {
  std::mt19937_64 random(1);
  std::vector<RunProfile> runs;
  for (const int p : {1, 2, 4, 8}) {
    RunProfile run = run_of({{"crosses", {}}}, p, 0, &random);
    run.kernels.front().counters.erase("acc_mm");
    runs.push_back(run);
  }
  const Prediction p = predict(fit(make_experiment(runs), options()), at(64));
  EXPECT_FALSE(p.parts.mem.has_value());
  EXPECT_EQ(p.kernels.front().bound, "compute+memory");
  EXPECT_FALSE(p.kernels.front().bound_probability.has_value());
}

TEST(MemorySplit, AKernelThatFitsIntoItsCacheIsBoundByTheCore) {
  const Model model = planted({{"kernel", {.accesses = 0, .fits_from = 1, .fitting = 0}}}, 0.03);
  const Prediction p = predict(model, at(64));
  EXPECT_EQ(p.kernels.front().bound, "compute");
  EXPECT_GT(*p.kernels.front().bound_probability, 0.99);
}

/// A kernel does not wait for data that a prefetcher fetches in time. Even with many such accesses
/// it is bound by the core, unless bandwidth is the limit.
TEST(MemorySplit, AccessesThatAPrefetcherCoversTakeBandwidthOnly) {
  Kernel streams = {.cpi = 1, .blocking = 0, .fits_from = 1e9};
  const auto memory_s = [&] {
    const Prediction p = predict(planted({{"kernel", streams}}, 0.03), at(1));
    EXPECT_EQ(p.kernels.front().bound, "compute");
    return p.kernels.front().mem->high_s;
  };
  const double unknown_s = memory_s();
  streams.demand = 0.01;
  EXPECT_LT(memory_s(), 0.05 * streams.comp_s(1));
  EXPECT_GT(unknown_s, 0.2 * streams.comp_s(1));
}

/// Data that a prefetcher fetches too late also make the core wait: a third of the time here,
/// although the bandwidth is far from exhausted.
TEST(MemorySplit, TheCoreWaitsForDataThatAPrefetcherFetchesTooLate) {
  const Kernel k = {.cpi = 0.5, .blocking = 0, .accesses = 2.5e11, .demand = 1e-4, .late = 0.8};
  const Model model = planted({{"kernel", k}}, 0.02);
  const double share = k.mem_s(1) / (k.mem_s(1) + k.comp_s(1));
  const MemorySplit& split = *model.kernels.front().law.split;
  EXPECT_NEAR(mean(split.shares(1, 1)), share, 0.05);
  EXPECT_LT(split.share_quantile(0.1, 1, 1), share);
  EXPECT_GT(split.share_quantile(0.9, 1, 1), share);
  EXPECT_EQ(predict(model, at(1)).kernels.front().bound, "compute");
  const std::vector<double> slowdowns = split.slowdowns({.latency = 2, .transfer = 2}, 1, 1);
  EXPECT_NEAR(mean(slowdowns), 1 + share, 0.05);
}

/// The bandwidth of the only node grows less than its busy cores do; half of the cores are idle in
/// the largest run.
TEST(MemorySplit, CoresOfANodeShareTheBandwidth) {
  const Model model = planted({{"kernel", {}}});
  MemoryCosts costs = machine();
  costs.bandwidth = {{1, 1e10}, {8, 2e10}, {16, 2e10}};
  const auto evidence = memory_evidence(model.kernels.front(), {1, 2, 4, 8}, 16, costs, {});
  ASSERT_TRUE(evidence);
  MemorySplit split;
  split.transfers = evidence->transfers_s;
  split.sharing = evidence->sharing;
  EXPECT_NEAR(split.sharing_at(1), 0.25, 1e-9);
  EXPECT_NEAR(split.sharing_at(2), 0.4375, 1e-9);
  EXPECT_NEAR(split.sharing_at(8), 1, 1e-9);
  EXPECT_NEAR(split.sharing_at(16), 2, 1e-9);
  EXPECT_NEAR(split.sharing_at(1000), 2, 1e-9) << "the node is full";
  for (std::size_t i = 0; i < evidence->places.size(); ++i) {
    const double procs = model.kernels.front().points[i].procs;
    const MemoryObservation& o = evidence->places[i].front();
    EXPECT_NEAR(split.time_s({.streamed = 1}, procs, 1) / o.transfers_s, 1, 1e-6) << procs;
  }
  costs.bandwidth = {{1, 1e10}, {8, 2e10}};
  split.sharing = memory_evidence(model.kernels.front(), {1, 2, 4, 8}, 16, costs, {})->sharing;
  EXPECT_NEAR(split.sharing_at(16), 1, 1e-9) << "not measured with more than 8 busy cores";
  costs.bandwidth = {{1, 1e10}, {64, 64e10}};
  EXPECT_TRUE(memory_evidence(model.kernels.front(), {1, 2, 4, 8}, 16, costs, {})->sharing.empty());
}

TEST(MemorySplit, CountedStallsGiveCpiAndBlockingFactor) {
  const Kernel k = {.cpi = 0.5, .blocking = 0.3, .fits_from = 100};
  std::mt19937_64 random(1);
  std::vector<RunProfile> runs;
  for (const int procs : {1, 2, 4, 8}) {
    runs.push_back(run_of({{"kernel", k}}, procs, 0, &random));
    runs.back().grade = Grade::kA;
    KernelProfile& kernel = runs.back().kernels.front();
    count("cycles", (k.comp_s(procs) + k.mem_s(procs)) * procs * kFrequency_hz, &kernel);
    count("stall", k.mem_s(procs) * procs * kFrequency_hz, &kernel);
  }
  const Model model = fit(make_experiment(runs), options());
  const KernelModel& kernel = model.kernels.front();
  ASSERT_TRUE(kernel.law.split && kernel.costs);
  EXPECT_EQ(kernel.law.split->from, "stalls");
  EXPECT_NEAR(kernel.costs->core_s.value * kFrequency_hz, k.cpi, 0.01 * k.cpi);
  EXPECT_NEAR(kernel.costs->memory.value, k.blocking, 0.01 * k.blocking);
}

TEST(MemorySplit, SurvivesItsFile) {
  Model model = planted({{"crosses", {}}}, 0.03);
  model.kernels.front().law.split->sharing = {{1, 0.5}, {8, 1}, {16, 1.75}};
  const Model again = model_from_json(to_json(model), "model.json");
  EXPECT_TRUE(again.shared_costs && again.kernels.front().costs);
  EXPECT_EQ(to_json(model).dump(), to_json(again).dump());
  for (const int procs : {2, 64}) {
    const Prediction a = predict(model, at(procs));
    const Prediction b = predict(again, at(procs));
    EXPECT_EQ(to_json(a).dump(), to_json(b).dump());
  }
}

}  // namespace
}  // namespace apmt
