// Tests apmt calibrate on virtual clusters: it must find the latency and bandwidth of the cluster,
// and the times of collectives on few ranks must predict their times on many.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "machine/collective_law.h"
#include "machine/hockney.h"
#include "machine/machine_profile.h"
#include "tests/inject/command.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;

MachineProfile calibrated(const Folder& folder, const std::string& arguments) {
  const Output ran = folder.run("apmt calibrate -o found.yaml " + arguments);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return read_machine_profile(folder.path() / "found.yaml");
}

const Network& between_nodes(const MachineProfile& profile) {
  if (profile.network("network") == nullptr) throw std::runtime_error("no network was measured");
  return *profile.network("network");
}

struct Hockney {
  const char* name;
  double latency_s;
  double bandwidth_bytes_per_s;
};
void PrintTo(const Hockney& one, std::ostream* out) { *out << one.name; }

class Cluster : public ::testing::TestWithParam<Hockney> {};

TEST_P(Cluster, LatencyAndBandwidthAreFoundWithinTwoPercent) {
  const Folder folder;
  std::ofstream(folder.path() / "cluster.yaml")
      << "format: apmt-cluster\nformat_version: \"1.0\"\ntitle: a test\nlatency_s: "
      << GetParam().latency_s << "\nbandwidth_bytes_per_s: " << GetParam().bandwidth_bytes_per_s
      << "\n";
  const MachineProfile profile = calibrated(folder, "--virtual cluster.yaml --procs 2");
  EXPECT_EQ(profile.provenance, "virtual");
  EXPECT_EQ(profile.network("node"), nullptr);
  const std::vector<HockneyPiece>& pieces = between_nodes(profile).pieces;
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_NEAR(pieces[0].alpha_s / GetParam().latency_s, 1, 0.02);
  EXPECT_NEAR(pieces[0].beta_s_per_byte * GetParam().bandwidth_bytes_per_s, 1, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Of, Cluster,
                         ::testing::Values(Hockney{"ethernet", 15e-6, 1.1e9},
                                           Hockney{"infiniband", 1.3e-6, 23e9},
                                           // SMPI's default TCP window would limit this
                                           Hockney{"wide_and_far", 1e-3, 50e9}),
                         [](const auto& one) { return one.param.name; });

/// Small messages are sent at once. Large ones wait for a handshake, but get a higher bandwidth.
constexpr const char* kTwoProtocols =
    "format: apmt-machine\nformat_version: \"1.0\"\nname: Two protocols\nprovenance: measured\n"
    "networks:\n"
    "- scope: network\n"
    "  pieces:\n"
    "  - {from_bytes: 0, alpha_s: 1.5e-6, beta_s_per_byte: 2.5e-10}\n"
    "  - {from_bytes: 8192, alpha_s: 6e-6, beta_s_per_byte: 8e-11}\n";

TEST(MachineAsACluster, ItsProfileIsFoundAgain) {
  const Folder folder;
  std::ofstream(folder.path() / "machine.yaml") << kTwoProtocols;
  const std::vector<HockneyPiece> put_in =
      between_nodes(read_machine_profile(folder.path() / "machine.yaml")).pieces;
  const MachineProfile profile = calibrated(folder, "--virtual machine.yaml --procs 2");
  EXPECT_EQ(profile.name, "Two protocols, measured");
  const std::vector<HockneyPiece>& pieces = between_nodes(profile).pieces;
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[1].from_bytes, 8192);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(pieces[i].alpha_s / put_in[i].alpha_s, 1, 0.02) << i;
    EXPECT_NEAR(pieces[i].beta_s_per_byte / put_in[i].beta_s_per_byte, 1, 0.02) << i;
  }
  for (const auto& [bytes, time] : between_nodes(profile).times_s)
    EXPECT_NEAR(time.value / hockney_time_s(put_in, bytes), 1, 0.02) << bytes;
  // The resulting profile can itself be used as a virtual cluster.
  const MachineProfile again = calibrated(folder, "--virtual found.yaml --procs 2");
  for (const auto& [bytes, time] : between_nodes(again).times_s)
    EXPECT_NEAR(time.value / hockney_time_s(put_in, bytes), 1, 0.03) << bytes;
}

/// The network of this machine has four pieces (ranges of message sizes).
TEST(MachineAsACluster, AMachineThatComesWithApmtIsOne) {
  const Folder folder;
  const std::vector<HockneyPiece> put_in =
      between_nodes(read_machine_profile(APMT_CONFIGS "/machines/archer2.yaml")).pieces;
  ASSERT_EQ(put_in.size(), 4U);
  const MachineProfile profile = calibrated(folder, "--virtual archer2 --procs 2");
  for (const auto& [bytes, time] : between_nodes(profile).times_s)
    EXPECT_NEAR(time.value / hockney_time_s(put_in, bytes), 1, 0.02) << bytes;
}

TEST(MachineAsACluster, ProgramsRunOnIt) {
  const Folder folder;
  std::ofstream(folder.path() / "machine.yaml") << kTwoProtocols;
  const Output run =
      folder.run("apmt run --virtual machine.yaml --procs 4 --reps 1 -d runs -- " APMT_PROGRAMS
                 "/planted ring");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json profile = folder.json("apmt info --json runs/apmt-planted.p4.r1");
  EXPECT_TRUE(profile.at("config").at("virtual").get<bool>());
}

/// Expects that the latency and bandwidth of messages within a node and of messages between nodes
/// are found.
void expect_both_kinds(const std::string& cluster, const HockneyPiece& node,
                       const HockneyPiece& network) {
  const Folder folder;
  const MachineProfile profile = calibrated(folder, "--virtual " + cluster + " --procs 6");
  for (const auto& [scope, put_in] : {std::pair{"node", node}, {"network", network}}) {
    const Network* found = profile.network(scope);
    ASSERT_NE(found, nullptr) << scope;
    ASSERT_EQ(found->pieces.size(), 1U) << scope;
    EXPECT_NEAR(found->pieces[0].alpha_s / put_in.alpha_s, 1, 0.02) << scope;
    EXPECT_NEAR(found->pieces[0].beta_s_per_byte / put_in.beta_s_per_byte, 1, 0.02) << scope;
  }
}

TEST(SharedNodes, LatencyAndBandwidthAreFoundWithinAndBetweenThem) {
  const Folder folder;
  const std::string file = (folder.path() / "cluster.yaml").string();
  std::ofstream(file) << "format: apmt-cluster\nformat_version: \"1.0\"\ntitle: a test\n"
                         "latency_s: 2e-6\nbandwidth_bytes_per_s: 1e10\n"
                         "node_latency_s: 3e-7\nnode_bandwidth_bytes_per_s: 3e10\n";
  expect_both_kinds(file + "@4", {.alpha_s = 3e-7, .beta_s_per_byte = 1 / 3e10},
                    {.alpha_s = 2e-6, .beta_s_per_byte = 1e-10});
}

TEST(SharedNodes, AMachinesPiecesBecomeALineForEachKind) {
  const MachineProfile put_in = read_machine_profile(APMT_CONFIGS "/machines/archer2.yaml");
  const auto line = [&](const char* scope) {
    const std::vector<HockneyPiece>& pieces = put_in.network(scope)->pieces;
    return HockneyPiece{.alpha_s = pieces.front().alpha_s,
                        .beta_s_per_byte = pieces.back().beta_s_per_byte};
  };
  expect_both_kinds("archer2@3", line("node"), line("network"));
}

TEST(SharedNodes, ProgramsRunOnThem) {
  const Folder folder;
  const Output run = folder.run(
      "apmt run --virtual archer2@4 --procs 6 --reps 1 -d runs -- " APMT_PROGRAMS "/planted ring");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json config = folder.json("apmt info --json runs/apmt-planted.p6.r1").at("config");
  EXPECT_EQ(config.at("nodes"), 2);
  EXPECT_EQ(config.at("max_ranks_per_node"), 4);
  EXPECT_FALSE(config.at("oversubscribed").get<bool>());
}

TEST(SharedNodes, AreRefusedWhereNobodyKnowsWhatTheirMessagesTake) {
  const Folder folder;
  const Output run = folder.run("apmt calibrate --virtual infiniband-hdr@4");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("within a node"));
  EXPECT_EQ(folder.run("apmt calibrate --virtual archer2@many").exit_code, 2);
}

TEST(MachineAsACluster, OneWithoutANetworkIsRefused) {
  const Folder folder;
  const Output run = folder.run("apmt calibrate --virtual fujitsu-a64fx-without");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("ethernet-10g"));
  std::ofstream(folder.path() / "machine.yaml")
      << "format: apmt-machine\nformat_version: \"1.0\"\nname: x\nprovenance: assumed\n";
  const Output without = folder.run("apmt calibrate --virtual machine.yaml");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("no network between nodes"));
}

/// The algorithms of the collectives are fixed, so times on 2 to 16 ranks must predict the times on
/// 64 ranks.
TEST(Collectives, OfSixtyFourRanksFollowFromSixteen) {
  const Folder folder;
  const MachineProfile truth = calibrated(folder, "--virtual infiniband-hdr --procs 64");
  std::vector<CollectiveTime> small;
  for (const CollectiveTime& one : truth.collectives)
    if (one.procs <= 16) small.push_back(one);
  std::size_t compared = 0;
  for (const CollectiveLaw& law : fit_collectives(small))
    for (const CollectiveTime& one : truth.collectives)
      if (one.op == law.op && one.bytes == law.bytes && one.procs == 64) {
        EXPECT_NEAR(law.time_s(64) / one.time_s.value, 1, 0.1) << law.op << " " << law.bytes;
        ++compared;
      }
  EXPECT_EQ(compared, 17U);
}

}  // namespace
}  // namespace apmt::testing
