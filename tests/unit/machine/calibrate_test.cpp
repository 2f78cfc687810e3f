// Tests of calibration. Its arithmetic is checked exactly; of its measurements, only what holds on
// any machine is checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "machine/collective_law.h"
#include "machine/hockney.h"
#include "machine/machine_profile.h"
#include "machine/memory_probe.h"
#include "machine/network_probe.h"
#include "tests/paths.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<std::pair<double, Figure>> times_of(const std::function<double(double)>& time_s) {
  std::vector<std::pair<double, Figure>> times = {{0, {time_s(0), 0}}};
  for (double n = 1; n <= 4194304; n *= 2) times.push_back({n, {time_s(n), 0}});
  return times;
}

TEST(Hockney, OneLineIsOnePiece) {
  const auto pieces = fit_hockney(times_of([](double n) { return 1e-6 + n / 12.5e9; }));
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_NEAR(pieces[0].alpha_s, 1e-6, 1e-12);
  EXPECT_NEAR(pieces[0].beta_s_per_byte, 1 / 12.5e9, 1e-16);
}

TEST(Hockney, EagerAndRendezvousAreTwo) {
  const auto law = [](double n) { return n < 8192 ? 1e-6 + n / 5e9 : 6e-6 + n / 20e9; };
  const auto pieces = fit_hockney(times_of(law));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[1].from_bytes, 8192);
  EXPECT_NEAR(pieces[0].beta_s_per_byte, 1 / 5e9, 1e-14);
  EXPECT_NEAR(pieces[1].alpha_s, 6e-6, 1e-9);
  for (double n : {0.0, 100.0, 8191.0, 8192.0, 1e6})
    EXPECT_NEAR(hockney_time_s(pieces, n), law(n), 1e-3 * law(n)) << n;
}

TEST(Hockney, NoiseMakesNoPieces) {
  int i = 0;
  const auto pieces = fit_hockney(
      times_of([&](double n) { return (1e-6 + n / 10e9) * (1 + 0.03 * (++i % 2 == 0 ? 1 : -1)); }));
  EXPECT_EQ(pieces.size(), 1u);
  EXPECT_NEAR(pieces[0].alpha_s, 1e-6, 3e-8);
}

TEST(Hockney, AnErrorCountsRelativeToItsTime) {
  // The long message determines the bandwidth, 1 ns per byte. That leaves latencies of 1 us and 2
  // us, whose weights 1 / time^2 are as 9 to 1, because the times are 1 us and 3 us.
  const auto pieces = fit_hockney({{0, {1e-6, 0}}, {1000, {3e-6, 0}}, {1e6, {1e-3, 0}}});
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_NEAR(pieces[0].alpha_s, 1.1e-6, 0.01e-6);
}

TEST(Hockney, TooFewPointsAreNoPieces) {
  EXPECT_TRUE(fit_hockney({}).empty());
  EXPECT_TRUE(fit_hockney({{0, {1e-6, 0}}, {8, {1e-6, 0}}}).empty());
}

std::vector<CollectiveTime> growth(const std::function<double(double)>& time_s) {
  std::vector<CollectiveTime> times;
  for (const int procs : {2, 4, 8, 16}) times.push_back({"Op", procs, 8, {time_s(procs), 0}});
  return times;
}

TEST(Collectives, TheTermsThatWerePlantedAreFound) {
  auto laws = fit_collectives(growth([](double p) { return 2e-6 * std::log2(p); }));
  ASSERT_EQ(laws.size(), 1u);
  ASSERT_EQ(laws[0].terms.size(), 1u);
  EXPECT_EQ(laws[0].terms[0].name, "log2 P");
  laws = fit_collectives(growth([](double p) { return 1e-6 * (p - 1) + 40e-6 * (1 - 1 / p); }));
  ASSERT_EQ(laws[0].terms.size(), 2u);
  EXPECT_NEAR(laws[0].time_s(1024), 1e-6 * 1023 + 40e-6, 1e-7);
  auto two = growth([](double p) { return p; });
  two.resize(2);
  EXPECT_TRUE(fit_collectives(two).empty());
}

TEST(Repeat, MedianAndQuartiles) {
  const Figure m = summarise({5, 1, 3, 2, 4});
  EXPECT_EQ(m.value, 3);
  EXPECT_NEAR(m.spread, 2.0 / 3.0, 1e-12);
  int calls = 0;
  EXPECT_EQ(repeat([&] { return ++calls, 7.0; }, {0.01, 5, 40, 10}).value, 7);
  EXPECT_EQ(calls, 5);
  calls = 0;
  repeat([&] { return ++calls % 2 == 0 ? 1.0 : 2.0; }, {0.01, 5, 12, 10});
  EXPECT_EQ(calls, 12);
}

TEST(Memory, AKneeIsFoundWhereItIs) {
  std::vector<std::pair<double, double>> curve;
  for (double size = 4096; size <= 1 << 24; size *= 2)
    curve.push_back({size, size <= 32768 ? 1.0 : size <= 1048576 ? 4.0 : 40.0});
  EXPECT_NEAR(*find_knee(curve, 1, 4), 32768 * std::sqrt(2.0), 1);
  EXPECT_NEAR(*find_knee(curve, 4, 40), 1048576 * std::sqrt(2.0), 10);
  EXPECT_FALSE(find_knee(curve, 40, 41));
}

/// A measurement of the real machine. It once found L1 no faster than memory, because vectors wider
/// than the processor's were copied through memory.
TEST(Memory, ReadingFromL1IsFasterThanFromMemory) {
  const Patience quick{0.1, 3, 5, 0.5};
  const double l1 = read_bytes_per_s(16384, quick).value;
  EXPECT_GT(l1, 2 * read_bytes_per_s(std::uint64_t{1} << 27, quick).value);
}

/// A measurement of the real machine. The latencies of L1 and memory differ by a factor of about
/// fifty, and load on the machine makes both longer.
TEST(Memory, ALoadFromMemoryTakesLongerThanOneFromL1) {
  const Patience patience{0.05, 3, 5, 0.5};
  const Figure near = chase_ns(8192, 64, patience);
  const Figure far = chase_ns(std::uint64_t{128} << 20, 64, patience);
  EXPECT_GT(near.value, 0.1);
  EXPECT_GT(far.value, 2 * near.value);
  EXPECT_GT(read_bytes_per_s(8192, patience).value, 1e9);
  EXPECT_GT(stream_bytes_per_s(2, std::uint64_t{24} << 20, patience).value, 1e8);
}

MachineProfile example() {
  MachineProfile profile;
  profile.name = "a \"cluster\"";
  profile.provenance = "measured";
  profile.cpu = "A CPU";
  profile.cores = 8;
  profile.frequency_hz = Figure{2.5e9, 0.01};
  profile.levels = {{"L1", 32768, Figure{1.6, 0.02}, Figure{1e11, 0.03}, 40000.0},
                    {"LLC", 1 << 25, Figure{20, 0}, std::nullopt, std::nullopt},
                    {"memory", 0, Figure{90, 0.05}, std::nullopt, std::nullopt}};
  profile.latency_curve = {{4096, 1.6}, {1e6, 20}};
  profile.bandwidth_by_cores = {{1, {1e10, 0.01}}, {8, {6e10, 0.02}}};
  profile.mpi = "An MPI";
  profile.networks = {{"network", {{0, {1e-6, 0.01}}}, {{0, 1e-6, 8e-11, 0.02}}, Figure{0.5, 0.1}}};
  profile.collectives = {{"Barrier", 4, 0, {2e-6, 0.1}}};
  return profile;
}

TEST(MachineProfile, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "machine.yaml";
  const std::string yaml = to_yaml(example());
  std::ofstream(file) << yaml;
  const MachineProfile read = read_machine_profile(file);
  EXPECT_EQ(to_yaml(read), yaml);
  EXPECT_EQ(read.name, "a \"cluster\"");
  EXPECT_EQ(read.network("network")->pieces[0].beta_s_per_byte, 8e-11);
  EXPECT_EQ(read.network("node"), nullptr);
  EXPECT_EQ(render_machine_text(read), render_machine_text(example()));
}

TEST(MachineProfile, CoreClockedLevelsFollowTheFrequency) {
  const MachineProfile profile = example();
  EXPECT_DOUBLE_EQ(*profile.latency_ns_at("L1", 1.25e9), 3.2);
  EXPECT_DOUBLE_EQ(*profile.latency_ns_at("memory", 1.25e9), 90);
  EXPECT_FALSE(profile.latency_ns_at("L2", 1e9));
}

TEST(MachineProfile, WrongFilesAreRefused) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "machine.yaml";
  const auto error_of = [&](const std::string& yaml) -> std::string {
    std::ofstream(file) << "format: apmt-machine\nformat_version: \"1.0\"\nname: x\n" << yaml;
    try {
      read_machine_profile(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("provenance: assumed\n"), "");
  EXPECT_THAT(error_of("provenance: guessed\n"), HasSubstr("assumed"));
  EXPECT_THAT(error_of("provenance: assumed\nlevels: [{name: L1, latency_ns: [-1]}]\n"),
              HasSubstr("levels"));
  EXPECT_THAT(error_of("provenance: assumed\nnetworks: [{scope: moon}]\n"),
              HasSubstr("node or network"));
}

TEST(MachineProfile, TheOnesThatShipAreReadAndMarkedAssumed) {
  int count = 0;
  int with_network = 0;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/configs/machines")) {
    const MachineProfile profile = read_machine_profile(entry.path());
    EXPECT_EQ(profile.provenance, "assumed") << entry.path();
    EXPECT_FALSE(profile.source.empty()) << entry.path();
    ASSERT_FALSE(profile.levels.empty()) << entry.path();
    ASSERT_TRUE(profile.frequency_hz) << entry.path();
    // According to vendors' documents, a load from L1 takes 4 to 5 cycles.
    const double cycles = 1e-9 * profile.levels[0].latency_ns->value * profile.frequency_hz->value;
    EXPECT_GE(cycles, 3.9) << entry.path();
    EXPECT_LE(cycles, 5.1) << entry.path();
    ++count;
    with_network += profile.network("network") != nullptr;
  }
  EXPECT_GE(count, 5);
  EXPECT_GE(with_network, 2);
}

TEST(NetworkProbe, HowFarItIs) {
  EXPECT_EQ(probe_progress("mpi x\n").second, 0u);
  const auto [done, total] =
      probe_progress("mpi x\nsteps 9\np2p node 0 1e-6 0\noverlap node 1 0\ncoll");
  EXPECT_EQ(done, 3u);
  EXPECT_EQ(total, 9u);
}

TEST(NetworkProbe, OutputIsReadOrRefused) {
  MachineProfile profile;
  std::string text = "mpi An MPI v1\nranks 4\n[a line of somebody else]\n";
  for (double n : {0.0, 8.0, 1024.0, 1048576.0}) {
    char line[128];
    std::snprintf(line, sizeof line, "p2p network %.0f %.9g 0.01\n", n, 1e-6 + n * 8e-11);
    text += line;
  }
  text += "overlap network 0.9 0.05\ncoll Barrier 4 0 2e-6 0.1\n";
  EXPECT_THROW(read_probe_output(text, &profile), InputError);
  profile = {};
  read_probe_output(text + "end\n", &profile);
  EXPECT_EQ(profile.mpi, "An MPI v1");
  ASSERT_EQ(profile.network("network")->pieces.size(), 1u);
  EXPECT_NEAR(profile.network("network")->pieces[0].alpha_s, 1e-6, 1e-9);
  EXPECT_EQ(profile.collectives.size(), 1u);
  EXPECT_THROW(read_probe_output("p2p node x\nend\n", &profile), InputError);
}

}  // namespace
}  // namespace apmt
