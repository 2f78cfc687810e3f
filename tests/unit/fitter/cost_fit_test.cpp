// Tests of the costs that all kernels of a program share, and of their joint estimate, with planted
// kernels whose costs are known.
#include "fitter/computation/cost_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/mean.h"
#include "fitter/computation/shared_costs.h"
#include "fitter/mechanisms.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

constexpr double kFrequency_hz = 2e9;
constexpr double kInstructions = 1e11;
constexpr double kMemory_s = 100e-9;
constexpr double kLineBytes = 64;
constexpr double kBytesPerS = 8e9;  // of each core, as is assumed without a profile
constexpr std::array<int, 4> kProcs = {1, 2, 4, 8};

Hypothesis constant(double value) {
  Hypothesis h;
  h.terms = {{.coefficient = value}};
  h.free_numbers = 1;
  h.exact = true;
  return h;
}

MetricModel metric(const std::string& name, double value) {
  MetricModel m;
  m.metric = name;
  for (const int procs : kProcs) m.points.push_back({double(procs), 1, value, 0, 0, 1});
  m.law.hypotheses = {constant(value)};
  return m;
}

/// A kernel whose data never fit into a cache. For the share `demand` of its accesses, the
/// prefetcher does not fetch the data in advance.
KernelModel kernel(const std::string& name, double accesses, double demand,
                   const std::vector<double>& times_s) {
  KernelModel k;
  k.name = k.id.linkage_name = name;
  for (std::size_t i = 0; i < kProcs.size(); ++i)
    k.points.push_back({double(kProcs[i]), 1, times_s[i] / kProcs[i], 0, 0, 1});
  k.metrics = {metric("instructions", kInstructions), metric("acc_mm", accesses),
               metric("acc_mm_demand", demand * accesses)};
  return k;
}

std::vector<double> noisy(double time_s, double noise, std::mt19937_64* random) {
  std::normal_distribution<double> normal;
  std::vector<double> times;
  for ([[maybe_unused]] const int procs : kProcs)
    times.push_back(time_s * std::exp(noise * normal(*random)));
  return times;
}

Model empty_model() {
  Model model;
  model.frequency_hz = kFrequency_hz;
  for (const int procs : kProcs) {
    model.points.emplace_back();
    model.points.back().procs = model.points.back().busy_cores = procs;
  }
  return model;
}

/// Six kernels that the memory's bandwidth limits, and two that it does not limit. The true
/// bandwidth is the assumed one divided by 1.8.
Model streaming_program() {
  std::mt19937_64 random(3);
  Model model = empty_model();
  for (int i = 0; i < 8; ++i) {
    const double accesses = (i < 6 ? 4e9 : 1e7) * (1 + 0.3 * i);
    const double comp_s = kInstructions * (0.5 + 0.05 * i) / kFrequency_hz;
    const double transfer_s = 1.8 * accesses * kLineBytes / kBytesPerS;
    model.kernels.push_back(kernel("kernel " + std::to_string(i), accesses, 1e-3,
                                   noisy(std::max(comp_s, transfer_s), 0.03, &random)));
  }
  return model;
}

MemoryCosts without_bandwidth() {
  MemoryCosts costs;
  costs.source = "planted machine";
  costs.memory_s = kMemory_s;
  return costs;
}

double worst_probability_of_memory(const Model& model) {
  double least = 1;
  for (std::size_t i = 0; i < 6; ++i)
    least = std::min(least, model.kernels[i].law.split->memory_bound(1, 1));
  return least;
}

/// A single kernel cannot tell a slow memory from many cycles per instruction. Kernels that all
/// need the same time per byte can.
TEST(CostFit, KernelsThatNeedTheSameTimePerByteShowTheBandwidth) {
  Model together = streaming_program();
  fit_costs(without_bandwidth(), {}, &together);
  ASSERT_TRUE(together.shared_costs.has_value());
  EXPECT_NEAR(together.shared_costs->transfer.value, 1.8, 0.2);
  ASSERT_TRUE(together.shared_costs->transfer.ln_sd.has_value());
  EXPECT_LT(*together.shared_costs->transfer.ln_sd, 0.1);
  EXPECT_GT(worst_probability_of_memory(together), 0.8);
  EXPECT_LT(together.kernels[7].law.split->memory_bound(1, 1), 0.05);
  Mechanisms off = mechanisms();
  off.shared_costs = false;
  const WithMechanisms alone(off);
  Model apart = streaming_program();
  fit_costs(without_bandwidth(), {}, &apart);
  EXPECT_LT(worst_probability_of_memory(apart), 0.7);
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto mean_product = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / static_cast<double>(a.size());
  };
  const std::vector<double> ones(x.size(), 1);
  const auto covariance = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return mean_product(a, b) - mean_product(a, ones) * mean_product(b, ones);
  };
  return covariance(x, y) / std::sqrt(covariance(x, x) * covariance(y, y));
}

/// SharedCosts (sums over grids) and fit_costs() (a least-squares problem) must find the same
/// transfer factor.
TEST(CostFit, TheSumsAgreeWithTheMode) {
  Model model = streaming_program();
  const MemoryCosts costs = without_bandwidth();
  const FactorPriors priors = factor_priors(costs);
  std::vector<KernelCosts> kernels;
  for (const KernelModel& k : model.kernels)
    kernels.push_back(kernel_costs(memory_evidence(k, {1, 2, 4, 8}, 0, costs, {}).value(), priors,
                                   kFrequency_hz, true));
  std::vector<const KernelCosts*> all;
  for (const KernelCosts& k : kernels) all.push_back(&k);
  const SharedCosts shared(all, priors);
  fit_costs(costs, {}, &model);
  const CostEstimate& mode = model.shared_costs->transfer;
  EXPECT_NEAR(shared.ln_transfer(), std::log(mode.value), *mode.ln_sd);
  EXPECT_NEAR(shared.ln_latency(), 0, 0.02) << "hardly any access waits";
}

/// In the draws in which the memory is slow, it limits both kernels, because they need the same
/// time per byte.
TEST(CostFit, TheKernelsOfADrawHaveTheSameMachine) {
  Model model = streaming_program();
  model.kernels.resize(2);
  fit_costs(without_bandwidth(), {}, &model);
  EXPECT_GT(correlation(model.kernels[0].law.split->shares(1, 1),
                        model.kernels[1].law.split->shares(1, 1)),
            0.1);
}

TEST(CostFit, TheJointModeFindsCpiAndBlockingFactor) {
  // From 4 processes on, the number of accesses is only a tenth, so the fit can separate the costs
  // of core and memory.
  Model model = empty_model();
  const double cpi = 0.7, blocking = 0.4;
  KernelModel k;
  k.name = "waits";
  k.metrics = {metric("instructions", kInstructions), metric("acc_mm", 1e9)};
  LawTerm many{.coefficient = 1e9}, few{.coefficient = 1e8};
  many.from_x = few.below_x = 0.3;
  k.metrics[1].law.hypotheses.front().terms = {many, few};
  for (std::size_t i = 0; i < kProcs.size(); ++i) {
    const double accesses = kProcs[i] < 4 ? 1e9 : 1e8;
    k.metrics[1].points[i].value = accesses;
    const double time_s =
        kInstructions * cpi / kFrequency_hz + blocking * 1.1 * kMemory_s * accesses;
    k.points.push_back({double(kProcs[i]), 1, time_s / kProcs[i], 0, 0, 1});
  }
  model.kernels = {k, k};
  model.kernels[1].name = "waits, too";
  MemoryCosts machine = without_bandwidth();
  machine.bandwidth = {{1, 1e13}};
  fit_costs(machine, {}, &model);
  const KernelCostEstimates& costs = model.kernels[0].costs.value();
  EXPECT_EQ(costs.form, MemoryForm::kWaits);
  EXPECT_GT(costs.form_probability, 0.9);
  EXPECT_NEAR(costs.core_s.value, cpi / kFrequency_hz, 0.03 * cpi / kFrequency_hz);
  // The latency of the machine is 1.1 times the latency in its profile. A kernel that overlaps its
  // accesses cannot show this: only the product of the latency's factor and the blocking factor is
  // found, and the latency's factor keeps its prior.
  EXPECT_NEAR(costs.memory.value * model.shared_costs->latency.value, 1.1 * blocking, 0.02);
  EXPECT_NEAR(*model.shared_costs->latency.ln_sd, 0.11, 0.02);
  ASSERT_TRUE(costs.core_s.ln_sd && costs.memory.ln_sd);
  EXPECT_LT(*costs.core_s.ln_sd, 0.05);
  EXPECT_GT(*costs.memory.ln_sd, *costs.core_s.ln_sd);
  EXPECT_NEAR(costs.memory.value, model.kernels[1].costs->memory.value, 1e-9);
}

/// Runs at lower frequencies separate core and memory even if the accesses never change.
TEST(CostFit, RunsAtOtherFrequenciesAreData) {
  const double comp_s = kInstructions * 0.5 / kFrequency_hz, mem_s = 2 * comp_s;
  const double accesses = mem_s / (0.5 * kMemory_s);
  const auto program = [&] {
    Model model = empty_model();
    model.kernels = {kernel("waits", accesses, 1, std::vector<double>(4, comp_s + mem_s))};
    return model;
  };
  MemoryCosts machine = without_bandwidth();
  machine.bandwidth = {{1, 1e13}};
  Model before = program();
  fit_costs(machine, {}, &before);
  PacesAtFrequencies slower;
  for (const double hz : {1.2e9, 1.6e9})
    slower[before.kernels[0].id].push_back(
        {8, 1, kFrequency_hz / hz, (comp_s * kFrequency_hz / hz + mem_s) / kInstructions, 0.002});
  Model after = program();
  fit_costs(machine, slower, &after);
  const MemorySplit& vague = *before.kernels[0].law.split;
  const MemorySplit& sharp = *after.kernels[0].law.split;
  EXPECT_EQ(vague.from, "counts");
  EXPECT_EQ(sharp.from, "frequencies");
  EXPECT_TRUE(sharp.knows_transfers());
  const auto width = [](const MemorySplit& split) {
    return split.share_quantile(0.9, 8, 1) - split.share_quantile(0.1, 8, 1);
  };
  EXPECT_GT(width(vague), 0.2);
  EXPECT_LT(width(sharp), 0.1);  // 1 % of the times of single runs are noise
  EXPECT_NEAR(mean(sharp.shares(8, 1)), 2.0 / 3, 0.02);
  EXPECT_GT(sharp.memory_bound(8, 1), 0.98);
}

/// Noisy times give the costs of messages and bytes, mostly within twice their errors.
TEST(CostFit, MessagesAndBytesHaveErrors) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  int within = 0, all = 0;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<synthetic::PlantedRun> runs;
    for (const int procs : {2, 4, 8, 16, 32}) {
      synthetic::PlantedRun run = synthetic::halo_run(procs);
      run.ops[0].bytes = 100 * 2e6 * procs / std::sqrt(double(procs));
      run.p2p_s = 2e-4 * run.ops[0].calls / procs + 1e-9 * run.ops[0].bytes / procs;
      run.p2p_s *= std::exp(0.03 * normal(random));
      runs.push_back(run);
    }
    const Model model = synthetic::fit_runs(runs);
    const TimeLaw& law = model.comm.front().law.value();
    ASSERT_EQ(law.kind, TimeLaw::Kind::kRecipe);
    ASSERT_EQ(law.families.front().features.size(), 2U);
    for (const auto& [feature, truth] : {std::pair(law.families.front().features[0], 2e-4),
                                         std::pair(law.families.front().features[1], 1e-9)}) {
      ASSERT_TRUE(feature.cost_ln_sd.has_value());
      all += 1;
      within += std::abs(std::log(feature.cost / truth)) < 2 * *feature.cost_ln_sd;
      EXPECT_NEAR(std::log(feature.cost / truth), 0, 0.5) << feature.name;
    }
  }
  EXPECT_GE(within, 0.9 * all);
}

/// Times that no cost explains say little, but the priors still do.
TEST(CostFit, TimesThatScatterLeaveCostsUncertainButNotWithoutBound) {
  std::vector<synthetic::PlantedRun> runs;
  for (const int procs : {2, 4, 8, 16}) {
    synthetic::PlantedRun run = synthetic::halo_run(procs);
    run.p2p_s *= procs % 3 == 1 ? 4 : 1;
    runs.push_back(run);
  }
  const Model model = synthetic::fit_runs(runs);
  for (const Feature& feature : model.comm.front().law.value().families.front().features) {
    ASSERT_TRUE(feature.cost_ln_sd.has_value());
    EXPECT_GT(*feature.cost_ln_sd, 0.2);
    EXPECT_LT(*feature.cost_ln_sd, 5);
  }
}

TEST(CostFit, WithoutCountsNothingIsEstimated) {
  Model model = empty_model();
  model.kernels = {kernel("bare", 0, 0, std::vector<double>(4, 1.0))};
  model.kernels[0].metrics.clear();
  fit_costs(without_bandwidth(), {}, &model);
  EXPECT_FALSE(model.shared_costs.has_value());
  EXPECT_FALSE(model.kernels[0].law.split.has_value());
  EXPECT_FALSE(model.kernels[0].costs.has_value());
}

/// A kernel's counts of accesses may be far off, for example because a simulator does not count
/// page walks. Such a kernel must not distort the costs of the other kernels.
TEST(CostFit, AKernelWithImpossibleCountsDoesNotMoveTheMachine) {
  std::mt19937_64 random(11);
  Model model = streaming_program();
  fit_costs(without_bandwidth(), {}, &model);
  const double before = model.shared_costs->transfer.value;
  // This kernel takes five times as long as its accesses explain.
  const double transfer_s = 9 * 4e9 * kLineBytes / kBytesPerS;
  model.kernels.push_back(kernel("odd", 4e9, 1e-3, noisy(transfer_s, 0.03, &random)));
  fit_costs(without_bandwidth(), {}, &model);
  EXPECT_NEAR(model.shared_costs->transfer.value, before, 0.1 * before);
}

}  // namespace
}  // namespace apmt
