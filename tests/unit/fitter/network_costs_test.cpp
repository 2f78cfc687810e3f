#include "fitter/model/network_costs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "base/temporary_folder.h"
#include "fitter/model/fit_options.h"
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
  EXPECT_NEAR(sent.mean_bytes,
              static_cast<double>(run.mpi[0].bytes_sent + run.mpi[1].bytes_sent) /
                  static_cast<double>(run.mpi[0].calls + run.mpi[1].calls),
              1e-6);
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
