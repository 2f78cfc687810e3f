// Tests of how the times of a run on a simulated cluster are divided.
#include "profiler/reader/fold_virtual.h"

#include <gtest/gtest.h>

namespace apmt {
namespace {

/// Two ranks with 3 s and 5 s of simulated time, 1 s of it in MPI. A kernel took 2 ms of real time.
RunProfile simulated(const std::string& options) {
  RunProfile profile;
  profile.command = "/usr/bin/smpimain ./app " + options + " platform.xml 100";
  profile.times.main_s.per_rank = {3, 5};
  profile.times.mpi_s.per_rank = {1, 1};
  profile.times.main_cpu_s.per_rank = {0, 0};
  profile.times.sampled_cpu_s.per_rank = {0.001, 0.001};
  profile.kernels.resize(1);
  profile.kernels[0].counters["cpu_s"] = {Provenance::kClock, "", 0.001, {1, 1}};
  return profile;
}

TEST(VirtualTimes, KernelsAddUpToTheSimulatedTimeOutsideMpi) {
  RunProfile profile = simulated("--cfg=smpi/host-speed:1Gf");
  close_virtual_times(&profile);
  EXPECT_EQ(profile.command, "./app 100");
  EXPECT_EQ(profile.times.main_cpu_s.per_rank, (std::vector<double>{2, 4}));
  ASSERT_EQ(profile.kernels.size(), 1U);
  EXPECT_DOUBLE_EQ(profile.kernels[0].counters.at("cpu_s").total(), 6);
}

TEST(VirtualTimes, AStraySampleIsNoKernelWhereInstructionsTakeNoTime) {
  RunProfile profile = simulated("--cfg=smpi/simulate-computation:no");
  profile.sampling.source = "posix-timer";
  close_virtual_times(&profile);
  EXPECT_TRUE(profile.kernels.empty());
  EXPECT_EQ(profile.grade, Grade::kD);
  EXPECT_EQ(profile.sampling.source, "none");
  EXPECT_EQ(profile.times.main_cpu_s.per_rank, (std::vector<double>{2, 4}));
}

/// A rank whose process used `process_ms` of CPU time, and thread `tid`, on which it ran, 1 s.
RawRecording rank_on(int tid, std::int64_t process_ms) {
  RawRecording raw;
  raw.header.process_cpu_ns = process_ms * 1000000;
  raw.threads.resize(1);
  raw.threads[0].tid = tid;
  raw.threads[0].cpu_ns = 1000000000;
  return raw;
}

TEST(CreatedThreads, AreThoseWithCpuTimeBesideTheThreadOfAllRanks) {
  const auto created = [](const std::vector<RawRecording>& ranks) {
    Health health;
    note_created_threads(ranks, &health);
    EXPECT_EQ(health.notes.empty(), health.created_threads_s == 0);
    return health.created_threads_s;
  };
  EXPECT_DOUBLE_EQ(created({rank_on(7, 1500), rank_on(7, 1750)}), 0.75);
  EXPECT_EQ(created({rank_on(7, 1002), rank_on(7, 1001)}), 0) << "the clocks are read in turn";
  EXPECT_EQ(created({rank_on(7, 2000), rank_on(8, 2000)}), 0) << "each rank is a thread";
  EXPECT_EQ(created({RawRecording{}}), 0) << "an old recording has no threads";
}

}  // namespace
}  // namespace apmt
