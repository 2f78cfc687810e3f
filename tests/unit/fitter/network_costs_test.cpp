#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "base/temporary_folder.h"
#include "fitter/fit/fit.h"
#include "fitter/model/fit_options.h"
#include "fitter/model/machine_costs.h"
#include "fitter/prediction/prediction.h"
#include "machine/machine_profile.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

MachineProfile measured() {
  MachineProfile profile;
  profile.name = "node";
  profile.provenance = "measured";
  profile.networks = {{"node", {}, {{0, 1e-6, 1e-10, 0}, {8192, 3e-6, 8e-11, 0}}, {}},
                      {"network", {}, {{0, 5e-6, 1e-9, 0}}, {}}};
  profile.collectives = {{"Allreduce", 4, 8, {2e-5, 0}},
                         {"Allreduce", 4, 1 << 20, {2e-3, 0}},
                         {"Bcast", 4, 1 << 10, {3e-5, 0}}};
  return profile;
}

NetworkCosts read(const MachineProfile& profile) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "machine.yaml") << to_yaml(profile);
  return read_network_costs(folder.path() / "machine.yaml");
}

TEST(NetworkCosts, AreThoseOfTheProfile) {
  const NetworkCosts costs = read(measured());
  EXPECT_DOUBLE_EQ(costs.message(0)->cost, 1e-6);
  EXPECT_DOUBLE_EQ(costs.message(1)->cost, 5e-6);
  EXPECT_DOUBLE_EQ(costs.message(0.25)->cost, 2e-6);
  EXPECT_DOUBLE_EQ(costs.byte(0, 100)->cost, 1e-10);
  EXPECT_DOUBLE_EQ(costs.byte(0, 10000)->cost, 8e-11);
  EXPECT_DOUBLE_EQ(costs.byte(0.5, 100)->cost, 5.5e-10);
  ASSERT_EQ(costs.collectives.size(), 1u);  // only those that move few bytes
  const LightCalls& light = costs.collectives.at("MPI_Allreduce").at(0);
  EXPECT_EQ(light.procs, 4);
  EXPECT_DOUBLE_EQ(light.transfer_s / light.calls, 2e-5);
  EXPECT_GT(light.ln_sd, 0);
}

TEST(NetworkCosts, AreUnknownWithoutAMeasurement) {
  MachineProfile profile = measured();
  profile.networks.pop_back();
  const NetworkCosts within_a_node = read(profile);
  EXPECT_TRUE(within_a_node.message(0));
  EXPECT_FALSE(within_a_node.message(0.5));
  profile.provenance = "assumed";
  EXPECT_FALSE(read(profile).message(0));
  EXPECT_TRUE(read(profile).collectives.empty());
}

TEST(NetworkCosts, MessagesBetweenNodesAreCounted) {
  RunProfile run = profile(synthetic::halo_run(4));
  run.mpi[0].peer = "same-node";
  MpiRow other = run.mpi[0];
  other.peer = "other-node";
  other.calls = 3 * run.mpi[0].calls;
  run.mpi.push_back(other);
  other.op = "MPI_Recv";  // the same messages once more
  run.mpi.push_back(other);
  MpiRow unknown = run.mpi[0];
  unknown.peer = "none";
  run.mpi.push_back(unknown);
  const SentMessages sent = sent_messages(make_experiment({run}));
  EXPECT_NEAR(sent.between_nodes, 0.75, 1e-12);
  const double bytes = static_cast<double>(run.mpi[0].bytes_sent);
  const double calls = static_cast<double>(run.mpi[0].calls);
  EXPECT_NEAR(sent.mean_bytes, 2 * bytes / (4 * calls), 1e-6);
}

/// A run on nodes with four ranks each, in which each rank exchanges messages with the rank before
/// and after it. The time of messages is `noise` times what the two kinds of messages cost.
RunProfile chain_on_nodes(int procs, int repetition, double noise, const NetworkCosts& truth) {
  constexpr int kOnNode = 4;
  constexpr double kTimes = 1000, kBytes = 1000;
  const int nodes = std::max(procs / kOnNode, 1);
  const double between = 2.0 * (nodes - 1) * kTimes;
  const double within = 2.0 * (procs - 1) * kTimes - between;
  synthetic::PlantedRun run;
  run.procs = procs;
  run.repetition = repetition;
  run.kernel_s = {{"work", 1.0 / procs}};
  const auto cost_s = [&](const Link& link) {
    return link.latency_s() + link.s_per_byte(kBytes) * kBytes;
  };
  run.p2p_s =
      noise * (within * cost_s(truth.in_node) + between * cost_s(truth.between_nodes)) / procs;
  run.ops = {{"MPI_Send", "p2p", within, within * kBytes},
             {"MPI_Send", "p2p", between, between * kBytes}};
  RunProfile p = profile(run);
  p.config.nodes = nodes;
  p.config.max_ranks_per_node = kOnNode;
  p.mpi[0].peer = "same-node";
  p.mpi[1].peer = "other-node";
  return p;
}

/// With 4 to 16 processes, few messages cross from one node to another; with 1024, a quarter of
/// them do, which takes most of the time.
TEST(NetworkCosts, MessagesBetweenNodesCostMore) {
  NetworkCosts truth;
  truth.in_node.pieces = {{0, 1e-6, 1e-10, 0}};
  truth.between_nodes.pieces = {{0, 2e-5, 1e-9, 0}};
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16})
    for (const int repetition : {1, 2, 3})
      runs.push_back(chain_on_nodes(procs, repetition, 1 + 0.02 * (repetition - 2), truth));
  FitOptions calibrated = synthetic::fit_options();
  calibrated.network.in_node.pieces = {{0, 1.3e-6, 1e-10, 0}};  // software takes longer
  calibrated.network.between_nodes.pieces = {{0, 2.6e-5, 1e-9, 0}};
  const double there_s = chain_on_nodes(1024, 1, 1, truth).times.mpi_p2p_s.mean();
  const auto predicted = [&](const FitOptions& options) {
    return *predict(fit(make_experiment(runs), options),
                    {.procs = 1024, .params = {}, .scaling = {}})
                .parts.comm_p2p;
  };
  EXPECT_NEAR(predicted(calibrated).time_s / there_s, 1, 0.05);
  EXPECT_GT(std::abs(predicted(synthetic::fit_options()).time_s / there_s - 1), 0.1)
      << "without a profile, all messages cost the same";
  WhatIf slower;
  slower.of(Knob::kLatency) = KnobChange{KnobChange::Kind::kValue, 4e-5, true};
  const Prediction with_twice =
      predict(fit(make_experiment(runs), calibrated),
              {.procs = 1024, .params = {}, .scaling = {}, .confidence = 0.8, .what_if = slower});
  EXPECT_NEAR(*with_twice.assumptions.front().factor, 2, 0.2)
      << "the latency asked for is compared with that between nodes";
  const Model model = fit(make_experiment(runs), calibrated);
  EXPECT_EQ(model.comm.front().law->families.front().features.front().of,
            "point-to-point calls, 0.05 for each within a node");
}

/// A tree first joins the four processes of each node, and then the nodes.
TEST(NetworkCosts, StepsBetweenNodesCostMore) {
  constexpr double kCalls = 1000, kIn_s = 1e-6, kBetween_s = 6e-6;
  const auto run_of = [&](int procs, int repetition) {
    const int nodes = std::max(procs / 4, 1);
    synthetic::PlantedRun run;
    run.procs = procs;
    run.repetition = repetition;
    run.kernel_s = {{"work", 1.0 / procs}};
    run.ops = {{"MPI_Allreduce", "collective", kCalls * procs, 8 * kCalls * procs}};
    run.coll_s = (1 + 0.02 * (repetition - 2)) * kCalls *
                 (kIn_s * std::log2(std::min(procs, 4)) + kBetween_s * std::log2(nodes));
    RunProfile p = profile(run);
    p.config.nodes = nodes;
    p.config.max_ranks_per_node = std::min(procs, 4);
    return p;
  };
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8, 16})
    for (const int repetition : {1, 2, 3}) runs.push_back(run_of(procs, repetition));
  FitOptions calibrated = synthetic::fit_options();
  calibrated.network.in_node.pieces = {{0, kIn_s, 0, 0}};
  calibrated.network.between_nodes.pieces = {{0, kBetween_s, 0, 0}};
  const double there_s = run_of(1024, 2).times.mpi_coll_s.mean();
  const auto error_with = [&](const FitOptions& options) {
    const Prediction p =
        predict(fit(make_experiment(runs), options), {.procs = 1024, .params = {}, .scaling = {}});
    return std::abs(p.parts.comm_coll->time_s / there_s - 1);
  };
  EXPECT_LT(error_with(calibrated), 0.05);
  EXPECT_GT(error_with(synthetic::fit_options()), 0.1) << "without a profile";
}

/// At the profiled counts, most of the time of messages is due to their bytes; at 512 processes,
/// most of it is due to latency.
TEST(NetworkCosts, CalibrationShowsTheLatencyThatBytesHide) {
  constexpr double kAlpha_s = 5e-6, kBeta_s = 1e-9, kMessages = 1000;
  const auto truth_s = [&](double procs) {
    return kAlpha_s * kMessages + kBeta_s * 1e8 * std::pow(procs, -2.0 / 3);
  };
  FitOptions calibrated = synthetic::fit_options();
  calibrated.network.in_node.pieces = {{0, 1.2 * kAlpha_s, 0, 0}};
  constexpr int kPrograms = 10;
  std::mt19937_64 random(1);
  double errors_with = 0;
  double errors_without = 0;
  int inside = 0;
  for (int program = 0; program < kPrograms; ++program) {
    std::vector<synthetic::PlantedRun> runs;
    for (int i = 0; i < 6; ++i) {
      synthetic::PlantedRun run;
      run.procs = 2 << (i / 2);
      run.repetition = 1 + i % 2;
      run.kernel_s = {{"work", 10.0 / run.procs}};
      run.ops = {{"MPI_Isend", "p2p", kMessages * run.procs, 1e8 * std::cbrt(run.procs)}};
      const double noise = 0.08 * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
      run.p2p_s = (1 + noise) * truth_s(run.procs);
      runs.push_back(run);
    }
    const auto predicted = [&](const FitOptions& options) {
      return *predict(fit_runs(runs, options), {.procs = 512, .params = {}, .scaling = {}})
                  .parts.comm_p2p;
    };
    const TimeEstimate with = predicted(calibrated);
    errors_with += std::abs(std::log(with.time_s / truth_s(512)));
    inside += with.low_s <= truth_s(512) && truth_s(512) <= with.high_s;
    errors_without += std::abs(std::log(predicted(synthetic::fit_options()).time_s / truth_s(512)));
  }
  EXPECT_LT(errors_with, 0.7 * errors_without);
  EXPECT_GE(inside, 8);
}

}  // namespace
}  // namespace apmt
