// Calibration with real MPI programs: on a virtual cluster what was put in must be found.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/input_error.h"
#include "machine/collective_law.h"
#include "machine/mpi_installation.h"
#include "machine/network_probe.h"
#include "machine/subprocess.h"
#include "machine/temporary_folder.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

NetworkOptions options_for(std::vector<std::string> launcher) {
  NetworkOptions options;
  options.launcher = std::move(launcher);
  options.probes = APMT_SOURCE_DIR "/machine/probes";
  options.search_path = search_path();
  options.timeout_s = 100;
  return options;
}

/// SMPI as a network of exactly these numbers: 0.5 us and 12.5 GB/s a link, two links a message.
std::vector<std::string> virtual_cluster(const fs::path& folder, const std::string& ranks) {
  std::ofstream(folder / "platform.xml")
      << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-63\" "
         "speed=\"1Gf\" bw=\"12.5GBps\" lat=\"0.5us\" "
         "sharing_policy=\"SPLITDUPLEX\"/></platform>\n";
  std::ofstream hosts(folder / "hosts");
  for (int i = 0; i < 64; ++i) hosts << "n" << i << "\n";
  hosts.close();
  return {"smpirun",
          "-np",
          ranks,
          "-platform",
          (folder / "platform.xml").string(),
          "-hostfile",
          (folder / "hosts").string(),
          "--cfg=smpi/host-speed:1Gf",
          "--cfg=smpi/cpu-threshold:1e-6",
          "--cfg=smpi/simulate-computation:no",
          "--cfg=smpi/bw-factor:0:1",
          "--cfg=smpi/lat-factor:0:1",
          "--cfg=network/bandwidth-factor:1",
          "--cfg=network/latency-factor:1",
          "--cfg=network/weight-S:0",
          "--cfg=network/crosstraffic:0",
          "--cfg=smpi/coll-selector:ompi",
          "--log=root.thres:critical"};
}

TEST(Network, AVirtualClusterHasTheNumbersThatWerePutIn) {
  if (find_in_path("smpirun", search_path()).empty()) GTEST_SKIP() << "no smpirun in PATH";
  const TemporaryFolder folder;
  MachineProfile profile;
  probe_network(options_for(virtual_cluster(folder.path(), "2")), &profile);
  EXPECT_EQ(profile.provenance, "virtual");
  EXPECT_EQ(profile.network("node"), nullptr);
  const Network* network = profile.network("network");
  ASSERT_NE(network, nullptr);
  ASSERT_EQ(network->pieces.size(), 1u);
  EXPECT_NEAR(network->pieces[0].alpha_s, 1e-6, 0.02e-6);
  EXPECT_NEAR(network->pieces[0].beta_s_per_byte, 8e-11, 0.02 * 8e-11);
}

/// Algorithms that do not change with the number of ranks: 2 to 16 say what 64 take.
TEST(Network, CollectivesOfSixtyFourRanksFollowFromSixteen) {
  if (find_in_path("smpirun", search_path()).empty()) GTEST_SKIP() << "no smpirun in PATH";
  const TemporaryFolder folder;
  MachineProfile truth;
  std::vector<std::string> launcher = virtual_cluster(folder.path(), "64");
  for (const char* pinned : {"barrier:ompi_recursivedoubling", "bcast:binomial_tree",
                             "reduce:binomial", "allreduce:rdb", "allgather:ring", "alltoall:pair"})
    launcher.push_back("--cfg=smpi/" + std::string(pinned));
  probe_network(options_for(launcher), &truth);
  std::vector<CollectiveTime> small;
  for (const CollectiveTime& one : truth.collectives)
    if (one.procs <= 16) small.push_back(one);
  int compared = 0;
  for (const CollectiveLaw& law : fit_collectives(small))
    for (const CollectiveTime& one : truth.collectives)
      if (one.op == law.op && one.bytes == law.bytes && one.procs == 64) {
        EXPECT_NEAR(law.time_s(64) / one.time_s.value, 1, 0.1) << law.op << " " << law.bytes;
        ++compared;
      }
  EXPECT_EQ(compared, 17);
}

TEST(Network, TheMpiHereIsMeasuredWithinTheNode) {
  const auto installed = find_mpi(search_path());
  if (installed.empty() || installed.front().c_compiler.empty())
    GTEST_SKIP() << "no MPI with a compiler in PATH";
  MachineProfile profile;
  probe_network(options_for(launch_words(installed.front(), 2)), &profile);
  const Network* node = profile.network("node");
  ASSERT_NE(node, nullptr);
  ASSERT_FALSE(node->pieces.empty());
  EXPECT_GT(node->times_s.back().second.value, node->times_s.front().second.value);
  EXPECT_FALSE(profile.collectives.empty());
}

TEST(Network, ALauncherThatStartsNothingIsSaidSo) {
  const auto installed = find_mpi(search_path());
  if (installed.empty() || installed.front().c_compiler.empty())
    GTEST_SKIP() << "no MPI with a compiler in PATH";
  MachineProfile profile;
  NetworkOptions options = options_for({"/bin/true"});
  options.compiler = installed.front().c_compiler;
  EXPECT_THROW(probe_network(options, &profile), InputError);
  options.launcher = {"/bin/false"};
  EXPECT_THROW(probe_network(options, &profile), InputError);
  options.compiler = "/bin/false";
  EXPECT_THROW(probe_network(options, &profile), InputError);
}

}  // namespace
}  // namespace apmt
