// From a folder in which processes have left their recordings to runs: what is taken, what is left,
// and what is said.
#include "campaign/collect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "campaign/run_directory.h"
#include "campaign/unmerged.h"
#include "tests/unit/runtime/small_recording.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kSecond = 1000000000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class CollectTest : public ::testing::Test {
 protected:
  /// Of one rank that ran for ten seconds on a machine of its own, and ended `ago_s` ago.
  struct Rank {
    int number = 0;
    int of = 1;
    std::string launch = "1";
    std::int64_t ago_s = 100;
    format::Ending ending = format::Ending::kExited;
    std::string host = "node1";
    std::string boot_id = "b1";
  };
  fs::path write(const Rank& rank, const std::string& folder = "running-unnamed") const {
    std::string bytes(rt::recording_bytes(rt::kSmall), '\0');
    const rt::Recording r = rt::lay_out(bytes.data(), rt::kSmall);
    r.header->world_rank = rank.number;
    r.header->world_size = rank.of;
    r.header->start_ns = 100 * kSecond;
    r.header->init_returned_ns = 101 * kSecond;
    r.header->last_sample_ns = 109 * kSecond;
    r.header->start_realtime_ns = now_ns() - (rank.ago_s + 10) * kSecond;
    r.header->ending = rank.ending;
    if (rank.ending != format::Ending::kOpen) {
      r.header->finalize_entered_ns = 109 * kSecond;
      r.header->end_ns = 110 * kSecond;
    }
    r.header->pid = 1000 + rank.number;
    r.header->sample_source = format::SampleSource::kPosixTimer;
    r.header->events[0].period = 1000000;
    r.header->event_count = 1;
    const auto text = [&](const char* key, const std::string& value) {
      rt::append_text(r, key, value.c_str());
    };
    text("exe", "/opt/app");
    text("host", rank.host);
    text("boot_id", rank.boot_id);
    text("pid_namespace", "pid:[1]");
    text("parent", "7:7");
    text("process", std::to_string(1000 + rank.number) + ":8");
    if (!rank.launch.empty()) text("id.PMIX_NAMESPACE", rank.launch);
    const fs::path file =
        experiment() / folder /
        ("rank-0000" + std::to_string(rank.number) + "-" + rank.launch + "-" + rank.host + ".apmt");
    fs::create_directories(file.parent_path());
    write_file_atomically(file, bytes);
    const auto ended = fs::file_time_type::clock::now() - std::chrono::seconds(rank.ago_s);
    fs::last_write_time(file, ended);
    return file;
  }
  fs::path experiment() const { return folder_.path() / "e"; }
  fs::path running() const { return experiment() / "running-unnamed"; }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(experiment()))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  static CollectOptions as_is() {
    CollectOptions options;
    options.as_is = true;
    return options;
  }
  TemporaryFolder folder_;
};

/// Bytes that this process has asked the kernel for.
std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string key;
  std::uint64_t bytes = 0;
  io >> key >> bytes;
  EXPECT_EQ(key, "rchar:");
  return bytes;
}

/// Recordings may be on a slow file system, and be many: but for its head each is read once.
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
  EXPECT_THAT(collected.left[0], HasSubstr("may still be running (process 1000 of node1 was heard "
                                           "of"));
  EXPECT_THAT(collected.left[0], HasSubstr("apmt merge --as-is"));
  EXPECT_EQ(collect_finished(experiment(), as_is()).runs.size(), 1u);
  // Of a job that was killed at its limit and that nobody waited for.
  for (int rank = 0; rank < 2; ++rank)
    write({.number = rank, .of = 2, .ago_s = kLease_s + 60, .ending = format::Ending::kOpen});
  collected = collect_finished(experiment());
  ASSERT_EQ(collected.runs.size(), 1u);
  EXPECT_EQ(read_run_profile(collected.runs[0] / "profile.json").health.ranks_cut_off, 2);
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
  EXPECT_THAT(collected.left[0], HasSubstr("a recording lies on node9 in " + there.string()));
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
              ElementsAre("2 processes say: the disk is full"));
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
