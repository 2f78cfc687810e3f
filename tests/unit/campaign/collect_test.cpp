// Tests of merging the recordings that processes left in a folder into runs: which recordings are
// merged, which remain, and which messages appear.
#include "campaign/store/collect.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <fstream>

#include "base/input_error.h"
#include "campaign/store/run_directory.h"
#include "campaign/store/unmerged.h"
#include "tests/unit/campaign/left_recordings.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using CollectTest = LeftRecordings;

/// The bytes that this process has read through system calls so far.
std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string key;
  std::uint64_t bytes = 0;
  io >> key >> bytes;
  EXPECT_EQ(key, "rchar:");
  return bytes;
}

/// An experiment may have many recordings on a slow file system. So each is read only once, except
/// that its header may be read twice.
TEST_F(CollectTest, EachRecordingIsReadOnce) {
  std::uint64_t all = 0;
  for (int rank = 0; rank < 8; ++rank) all += fs::file_size(write({.number = rank, .of = 8}));
  const std::uint64_t before = bytes_read();
  collect_finished(experiment());
  const std::uint64_t read = bytes_read() - before;
  EXPECT_THAT(entries(), ElementsAre("apmt-app.p8.r1"));
  EXPECT_GE(read, all);
  EXPECT_LT(read, 2 * all);
}

TEST_F(CollectTest, EachLaunchInAFolderBecomesARun) {
  for (const char* launch : {"1", "2", "3"})
    for (int rank = 0; rank < 2; ++rank) write({.number = rank, .of = 2, .launch = launch});
  write({.number = 0, .of = 1, .launch = "4"});
  const Collected collected = collect_finished(experiment());
  EXPECT_THAT(collected.left, IsEmpty());
  EXPECT_THAT(entries(),
              ElementsAre("apmt-app.p1.r1", "apmt-app.p2.r1", "apmt-app.p2.r2", "apmt-app.p2.r3"));
  for (const char* file : {"rank-00000.apmt", "rank-00001.apmt", "profile.json"})
    EXPECT_TRUE(fs::exists(experiment() / "apmt-app.p2.r3" / file)) << file;
}

TEST_F(CollectTest, ARunThatWasMergedStaysSaidWhenALaterOneFails) {
  for (const char* launch : {"1", "2"}) write({.number = 0, .of = 1, .launch = launch});
  std::ofstream(running() / "merging-2") << "in the way of the second";
  const Collected collected = collect_finished(experiment());
  EXPECT_THAT(collected.runs, ElementsAre(experiment() / "apmt-app.p1.r1"));
  EXPECT_THAT(collected.left, ElementsAre(HasSubstr("merging-2")));
  fs::remove(running() / "merging-2");
  EXPECT_THAT(collect_finished(experiment()).runs, ElementsAre(experiment() / "apmt-app.p1.r2"));
}

TEST_F(CollectTest, WhatIsOfSeveralLaunchesIsNotGuessed) {
  for (const char* host : {"node1", "node2"})
    for (int rank = 0; rank < 2; ++rank)
      write({.number = rank, .of = 4, .launch = "", .host = host});
  write({.number = 0, .of = 1, .launch = "4"});
  const Collected collected = collect_finished(experiment(), as_is());
  EXPECT_EQ(collected.runs.size(), 1u);
  ASSERT_EQ(collected.left.size(), 1u);
  EXPECT_THAT(collected.left[0], HasSubstr("4 processes of programs on 4 ranks ran at the same "
                                           "time, and nothing tells which belong together"));
  EXPECT_EQ(recordings_in(running()).size(), 4u) << "nothing is lost";
}

TEST_F(CollectTest, WhoMayBeAliveElsewhereHasALease) {
  write({.number = 0, .of = 2, .ago_s = 60, .ending = format::Ending::kOpen});
  write({.number = 1, .of = 2, .ago_s = 2 * kLease_s, .ending = format::Ending::kOpen});
  Collected collected = collect_finished(experiment());
  ASSERT_EQ(collected.left.size(), 1u);
  EXPECT_THAT(collected.left[0], HasSubstr("may still be running (process 1000 of node1 was "
                                           "active"));
  EXPECT_THAT(collected.left[0], HasSubstr("apmt merge --as-is"));
  collected = collect_finished(experiment(), as_is());
  ASSERT_EQ(collected.runs.size(), 1u);
  const Health health = read_run_profile(collected.runs[0] / "profile.json").health;
  EXPECT_EQ(health.ranks_cut_off, 2);
  EXPECT_EQ(health.ranks_running, 1) << "the other was silent for too long";
  // A job was killed at its time limit: no rank could end its recording.
  for (int rank = 0; rank < 2; ++rank)
    write({.number = rank, .of = 2, .ago_s = kLease_s + 60, .ending = format::Ending::kOpen});
  collected = collect_finished(experiment());
  ASSERT_EQ(collected.runs.size(), 1u);
  EXPECT_EQ(read_run_profile(collected.runs[0] / "profile.json").health.ranks_cut_off, 2);
}

/// Maps a recording for writing, as a rank in a container on this machine does.
class Writing {
 public:
  explicit Writing(const fs::path& recording) {
    const int file = ::open(recording.c_str(), O_RDWR);
    map_ = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
  }
  ~Writing() { ::munmap(map_, kBytes); }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  static constexpr std::size_t kBytes = 4096;
  void* map_;
};

TEST_F(CollectTest, WhoWritesAFileOfThisMachineIsAliveHoweverLongItWasSilent) {
  const fs::path file =
      write({.ago_s = 2 * kLease_s, .ending = format::Ending::kOpen, .pid_namespace = "pid:[2]"});
  {
    const Writing rank(file);
    const Collected collected = collect_finished(experiment());
    ASSERT_EQ(collected.left.size(), 1u);
    EXPECT_THAT(collected.left[0], HasSubstr("process 1000 of node1 has it open for writing"));
  }
  EXPECT_EQ(collect_finished(experiment()).runs.size(), 1u);
}

TEST_F(CollectTest, InAFileSystemInMemoryWhoWritesNoMoreIsDeadAtOnce) {
  struct statfs system {};
  if (::statfs("/dev/shm", &system) != 0 || system.f_type != TMPFS_MAGIC)
    GTEST_SKIP() << "/dev/shm does not lie in memory";
  const fs::path written = write({.ago_s = 1, .ending = format::Ending::kOpen});
  const fs::path there = "/dev/shm" / folder_.path().filename();
  const fs::path moved = there / "running-unnamed" / written.filename();
  fs::create_directories(moved.parent_path());
  fs::copy_file(written, moved);
  {
    const Writing rank(moved);
    EXPECT_EQ(collect_finished(there).left.size(), 1u);
  }
  EXPECT_EQ(collect_finished(there).runs.size(), 1u);
  fs::remove_all(there);
}

TEST_F(CollectTest, WhoRanHereBeforeARebootIsDead) {
  write({.ago_s = 1, .ending = format::Ending::kOpen, .host = this_host()});
  EXPECT_EQ(collect_finished(experiment()).runs.size(), this_host() == "localhost" ? 0u : 1u);
}

TEST_F(CollectTest, APipeOfThatNameIsNotWaitedFor) {
  write({});
  ASSERT_EQ(::mkfifo((running() / "rank-00001.apmt").c_str(), 0600), 0);
  EXPECT_EQ(collect_finished(experiment()).runs.size(), 1u);
  EXPECT_THROW(read_recording(running() / "rank-00001.apmt"), InputError);
  EXPECT_THROW(read_recording_head(running() / "rank-00001.apmt"), InputError);
}

TEST_F(CollectTest, MergingThatWasCutOffIsDoneAgain) {
  const fs::path first = write({.number = 0, .of = 2});
  write({.number = 1, .of = 2});
  fs::create_directories(running() / "merging-1");
  fs::rename(first, running() / "merging-1/rank-00000.apmt");
  write_file_atomically(running() / "merging-1/profile.json", "{");
  const Collected collected = collect_finished(experiment());
  EXPECT_THAT(collected.left, IsEmpty());
  EXPECT_THAT(entries(), ElementsAre("apmt-app.p2.r1"));
  EXPECT_EQ(read_run_profile(collected.runs.at(0) / "profile.json").health.ranks_present, 2);
}

TEST_F(CollectTest, ADamagedRecordingIsSaidAndLeft) {
  write({});
  write_file_atomically(running() / "rank-00007-x.apmt", "no recording at all");
  const Collected collected = collect_finished(experiment());
  EXPECT_EQ(collected.runs.size(), 1u);
  ASSERT_EQ(collected.left.size(), 1u);
  EXPECT_THAT(collected.left[0], HasSubstr("rank-00007-x.apmt: not a recording"));
}

TEST_F(CollectTest, WhatKilledProcessesLeftOnThisNodeIsBrought) {
  write({.number = 0, .of = 2});
  const fs::path second = write({.number = 1, .of = 2});
  const fs::path there = folder_.path() / "stage" / ("apmt-" + second.filename().string());
  fs::create_directories(there.parent_path());
  fs::rename(second, there);
  fs::path link = second;
  link.replace_extension(".staged");
  fs::create_symlink("node9:" + there.string(), link);
  Collected collected = collect_finished(experiment());
  ASSERT_EQ(collected.left.size(), 1u);
  EXPECT_THAT(collected.left[0], HasSubstr("a recording is still on node9 in " + there.string()));
  fs::remove(link);
  fs::create_symlink(this_host() + ":" + there.string(), link);
  collected = collect_finished(experiment());
  EXPECT_THAT(collected.left, IsEmpty());
  EXPECT_THAT(entries(), ElementsAre("apmt-app.p2.r1"));
  EXPECT_FALSE(fs::exists(there)) << "nothing stays behind";
  EXPECT_EQ(read_run_profile(collected.runs.at(0) / "profile.json").health.ranks_present, 2);
}

TEST_F(CollectTest, ALinkToAnythingElseIsNotFollowed) {
  write({});
  const fs::path other = folder_.path() / "thesis.apmt";
  write_file_atomically(other, "mine");
  fs::create_symlink(this_host() + ":" + other.string(), running() / "rank-00001-x.staged");
  collect_finished(experiment());
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(CollectTest, ReasonsAreSaidOnce) {
  fs::create_directories(running());
  for (const char* name : {"rank-1.why", "rank-2.why"})
    fs::create_symlink("the disk is full", running() / name);
  EXPECT_THAT(collect_finished(experiment()).reasons,
              ElementsAre("2 processes report: the disk is full"));
  EXPECT_THAT(entries(), IsEmpty()) << "and nothing is left";
}

TEST_F(CollectTest, OneLaunchCanBeLookedAtWithoutTouchingIt) {
  for (int rank = 0; rank < 2; ++rank) write({.number = rank, .of = 2});
  EXPECT_EQ(fold_directory(running()).health.ranks_present, 2);
  write({.number = 0, .of = 2, .launch = "2"});
  EXPECT_THROW(fold_directory(running()), InputError);
  EXPECT_EQ(recordings_in(running()).size(), 3u);
}

}  // namespace
}  // namespace apmt
