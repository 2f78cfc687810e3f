// Tests what sampling by signals may disturb: programs that handle every signal, pause recording
// while they make threads and unload code, or share cores. They must behave as without the recorder
// and be recorded like any other program, without the work of the recorder itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "command.h"
#include "diaries.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;

class EveryMpi : public ::testing::TestWithParam<const Mpi*> {};

TEST_P(EveryMpi, MayTakeEverySignalAndPause) {
  const Mpi& mpi = *GetParam();
  if (!mpi.present()) GTEST_SKIP() << mpi.missing();
  Folder folder;
  const Output output = folder.run("apmt record -d e " + mpi.run + " 1 " APMT_PROGRAMS "/" +
                                   mpi.name + "/crash_handler " APMT_PROGRAMS);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json profile = folder.json("apmt info --json e/apmt-crash_handler.p1.r1");
  std::map<std::string, double> seconds;
  for (const Json& kernel : profile.at("kernels"))
    seconds[kernel.at("name")] += kernel.at("counters").at("cpu_s").at("total").get<double>();
  EXPECT_GT(seconds["main_work"], 0) << "sampled under the program's own handlers";
  EXPECT_GT(seconds["pool_work"], 0) << "made while recording was paused";
  EXPECT_GT(seconds["second_work"], 0);
  if (output.out.find("same address") != std::string::npos) {
    EXPECT_GT(seconds["first_work"], 0) << "unloaded while recording was paused";
  }
}

TEST_P(EveryMpi, SeesNothingOfOurOwnStartAndEndAmongItsFunctions) {
  const Mpi& mpi = *GetParam();
  if (!mpi.present()) GTEST_SKIP() << mpi.missing();
  Folder folder;
  const std::string programs = APMT_PROGRAMS "/" + mpi.name;
  const Output output =
      folder.run("mkdir diaries && APMT_DIR=$PWD/e " + mpi.run +
                 " 1 env LD_PRELOAD=" + APMT_LIBRARIES "/libapmt-" + mpi.name + ".so:" + programs +
                 "/slow_start " + programs + "/diary diaries finalize && apmt info e");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json profile = folder.json("apmt info --json e/apmt-diary.p1.r1");
  bool has_compute = false;
  for (const Json& kernel : profile.at("kernels")) {
    has_compute = has_compute || kernel.at("name") == "compute";
    EXPECT_NE(kernel.at("name"), "slow_question");
  }
  EXPECT_TRUE(has_compute);
}

/// Compares the computing time of each rank of `crowd` in a profile with the rank's own CPU clock.
void expect_own_clocks(const Folder& folder, const std::string& run) {
  constexpr double kClose = 0.03;
  constexpr double kEdgesS = 0.008;  // one tick at the beginning and one at the end
  const Json profile = folder.json("apmt info --json " + run);
  for (const auto& [pid, raw] : recordings_below(folder.path() / "e")) {
    double own_s = 0;
    std::ifstream(folder.path() / "own" / std::to_string(pid)) >> own_s;
    own_s *= 1e-9;
    const auto rank = static_cast<std::size_t>(raw.header.world_rank);
    double raw_s = 0;
    double profiled_s = 0;
    for (const Json& kernel : profile.at("kernels")) {
      const Json& cpu = kernel.at("counters").at("cpu_s");
      const double seconds =
          cpu.at("samples").at(rank).get<double>() * cpu.at("unit_per_sample").get<double>();
      raw_s += seconds;
      profiled_s +=
          cpu.contains("scale") ? seconds * cpu.at("scale").at(rank).get<double>() : seconds;
    }
    std::printf("rank %zu: own clock %.3f s, sampled %.3f, profiled %.3f\n", rank, own_s, raw_s,
                profiled_s);
    EXPECT_NEAR(profiled_s, own_s, kClose * own_s + kEdgesS);
  }
}

/// With more ranks than cores, the kernel's ticks rarely find a rank running, and if they do, the
/// rank is more often in a busy wait than in a computation. Nevertheless the times of functions
/// must agree with each rank's own CPU clock.
TEST_P(EveryMpi, ComputationOfRanksThatShareCoresIsTheirCpuTime) {
  const Mpi& mpi = *GetParam();
  if (!mpi.present()) GTEST_SKIP() << mpi.missing();
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores > 8) GTEST_SKIP() << "too many ranks would be needed to share " << cores << " cores";
  Folder folder;
  const std::string ranks = std::to_string(2 * cores);
  const Output output = folder.run("mkdir own && apmt record -d e " + mpi.run + " " + ranks +
                                   " " APMT_PROGRAMS "/" + mpi.name + "/crowd own");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  expect_own_clocks(folder, "e/apmt-crowd.p" + ranks + ".r1");
}

/// Other programs use the cores, but the launcher does not know this. Ticks then find a rank mostly
/// while it waits, and a short run ends before many ticks have found the rank running.
TEST_P(EveryMpi, ComputationBesideOtherProgramsIsTheRanksCpuTime) {
  const Mpi& mpi = *GetParam();
  if (!mpi.present()) GTEST_SKIP() << mpi.missing();
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores > 8) GTEST_SKIP() << "too many processes would be needed to fill " << cores << " cores";
  Folder folder;
  const Output output = folder.run(
      "mkdir own; others=; for i in $(seq " + std::to_string(2 * cores) +
      "); do (while :; do :; done) & others=\"$others $!\"; done; apmt record -d e " + mpi.run +
      " 2 " APMT_PROGRAMS "/" + mpi.name + "/crowd own 1; status=$?; kill $others; exit $status");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  expect_own_clocks(folder, "e/apmt-crowd.p2.r1");
}

/// If there are more ranks than cores, their CPU clocks are read when they enter and leave MPI. The
/// times must contain neither the work while recording is paused nor that after MPI_Finalize.
TEST_P(EveryMpi, ClocksLeaveOutPausesAndWhatComesAfterMpiFinalize) {
  const Mpi& mpi = *GetParam();
  if (!mpi.present()) GTEST_SKIP() << mpi.missing();
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores > 8) GTEST_SKIP() << "too many ranks would be needed to share " << cores << " cores";
  Folder folder;
  const Output output =
      folder.run("mkdir counted && apmt record -d e " + mpi.run + " " + std::to_string(cores + 2) +
                 " " APMT_PROGRAMS "/" + mpi.name + "/late_work counted");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const auto recordings = recordings_below(folder.path() / "e");
  ASSERT_EQ(recordings.size(), static_cast<std::size_t>(cores + 2));
  double outside_s = 0;
  constexpr double kEdgesNs = 30e6;  // the pause and the work at the end take five times as long
  for (const auto& [pid, raw] : recordings) {
    double counted_ns = 0;
    std::ifstream(folder.path() / "counted" / std::to_string(pid)) >> counted_ns;
    const format::MainTime& main = raw.main_times.at(0);
    const double split_ns = static_cast<double>(main.split_ns[0] + main.split_ns[1]);
    EXPECT_NEAR(split_ns, counted_ns, kEdgesNs) << "even if it has a core to itself for a while";
    EXPECT_NEAR(static_cast<double>(main.cpu_ns), counted_ns, kEdgesNs);
    outside_s += 1e-9 * static_cast<double>(main.split_ns[0]);
  }
  const auto run = "e/apmt-late_work.p" + std::to_string(cores + 2) + ".r1";
  const Json profile = folder.json("apmt info --json " + run);
  double profiled_s = 0;  // samples are scaled to the CPU clocks outside MPI
  for (const Json& kernel : profile.at("kernels")) {
    EXPECT_NE(kernel.at("name"), "paused_work");
    EXPECT_NE(kernel.at("name"), "late_work");
    profiled_s += kernel.at("counters").at("cpu_s").at("total").get<double>();
  }
  const double edges_s = 1e-9 * kEdgesNs * static_cast<double>(cores + 2);
  EXPECT_GT(profiled_s, 0);
  EXPECT_NEAR(profiled_s, outside_s, edges_s);
}

INSTANTIATE_TEST_SUITE_P(All, EveryMpi, ::testing::Values(&openmpi(), &mpich()),
                         [](const auto& of) { return of.param->name; });

}  // namespace
}  // namespace apmt::testing
