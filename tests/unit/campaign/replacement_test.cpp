// Tests of replacing old runs with new ones: which runs are replaced, and what is on disk if the
// replacement fails.
#include "campaign/store/replacement.h"

#include <gmock/gmock.h>

#include "campaign/store/run_directory.h"
#include "profile/profile_files.h"
#include "profiler/reader/raw_recording.h"
#include "tests/unit/campaign/left_recordings.h"

namespace apmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Replacing : public LeftRecordings {
 protected:
  /// Merges launches that follow one another, each with one rank.
  Collected make(const std::vector<Rank>& ranks) {
    for (const Rank& rank : ranks) write(rank);
    return collect_finished(experiment());
  }
  Collected replace(const std::vector<Rank>& ranks) {
    for (const Rank& rank : ranks) write(rank);
    std::vector<fs::path> old = run_directories(experiment());
    CollectOptions options = as_is();
    options.replaced = &old;
    return collect_folder(running(), experiment(), options);
  }
  std::string launch_of(const std::string& run) const {
    return read_recording_head(experiment() / run / "rank-00000.apmt").first("id.PMIX_NAMESPACE");
  }
};

TEST_F(Replacing, LaunchesAtOnePointReplaceOldRunsAndNotEachOther) {
  make({{.launch = "1"}, {.launch = "2"}, {.launch = "3"}});
  EXPECT_THAT(replace({{.launch = "4", .ago_s = 60}, {.launch = "5", .ago_s = 30}}).left,
              IsEmpty());
  ASSERT_THAT(entries(), ElementsAre("apmt-app.p1.r1", "apmt-app.p1.r2"));
  EXPECT_EQ(launch_of("apmt-app.p1.r1"), "4");
  EXPECT_EQ(launch_of("apmt-app.p1.r2"), "5");
  EXPECT_FALSE(fs::exists(experiment() / "apmt-app.p1.r1/.replaced"));
}

TEST_F(Replacing, AnOldRunComesBackWhenTheNewOneCannotBeNamed) {
  make({{.launch = "1"}});
  const Collected collected = replace(
      {{.launch = "2", .exe = "/opt/" + std::string(252, 'a')}});  // file names cannot be this long
  EXPECT_THAT(collected.runs, IsEmpty());
  ASSERT_EQ(collected.left.size(), 1u);
  EXPECT_THAT(collected.left[0], HasSubstr("not merged: "));
  EXPECT_THAT(entries(), ElementsAre("apmt-app.p1.r1", "running-unnamed"));
  EXPECT_EQ(launch_of("apmt-app.p1.r1"), "1");
  EXPECT_TRUE(fs::exists(experiment() / "apmt-app.p1.r1/profile.json"));
}

/// The state on disk if the process is killed after it has moved the old run away.
class CutOffReplacing : public Replacing {
 protected:
  void SetUp() override {
    make({{.launch = "1"}});
    const fs::path file = write({.launch = "2"});
    fs::create_directories(running() / "merging-1/.replaced");
    fs::rename(file, running() / "merging-1/rank-00000.apmt");
    fs::rename(experiment() / "apmt-app.p1.r1", running() / "merging-1/.replaced/apmt-app.p1.r1");
  }
};

TEST_F(CutOffReplacing, IsFinishedByTheNext) {
  EXPECT_THAT(collect_finished(experiment()).left, IsEmpty());
  ASSERT_THAT(entries(), ElementsAre("apmt-app.p1.r1"));
  EXPECT_EQ(launch_of("apmt-app.p1.r1"), "2");
  EXPECT_FALSE(fs::exists(experiment() / "apmt-app.p1.r1/.replaced"));
}

TEST_F(CutOffReplacing, GivesTheOldRunBackWhereTheNewOneIsNone) {
  write_file_atomically(running() / "merging-1/rank-00000.apmt", "damaged");
  collect_finished(experiment());
  ASSERT_THAT(entries(), ElementsAre("apmt-app.p1.r1", "running-unnamed"));
  EXPECT_EQ(launch_of("apmt-app.p1.r1"), "1");
}

TEST_F(CutOffReplacing, LosesNeitherWhereAnotherHasTheNameByNow) {
  fs::create_directories(experiment() / "apmt-app.p1.r1");
  write_file_atomically(running() / "merging-1/rank-00000.apmt", "damaged");
  collect_finished(experiment());
  ASSERT_THAT(entries(), ElementsAre("apmt-app.p1.r1", "apmt-app.p1.r2", "running-unnamed"));
  EXPECT_EQ(launch_of("apmt-app.p1.r2"), "1");
  EXPECT_EQ(read_run_profile(experiment() / "apmt-app.p1.r2/profile.json").config.repetition, 2);
}

TEST_F(Replacing, WhatWasReplacedIsRemovedByTheNextWhereItsMakerWasKilled) {
  make({{.launch = "1"}});
  const fs::path run = experiment() / "apmt-app.p1.r1";
  fs::create_directories(run / ".replaced/apmt-app.p1.r1");
  fs::copy_file(run / "profile.json", run / ".replaced/apmt-app.p1.r1/profile.json");
  collect_finished(experiment());
  EXPECT_FALSE(fs::exists(run / ".replaced"));
  EXPECT_TRUE(fs::exists(run / "profile.json"));
}

TEST_F(Replacing, ARunThatIsNotWholeReplacesNone) {
  make({{.launch = "1"}});
  for (const Rank& rank : {Rank{.launch = "2", .finalizes = false},
                           Rank{.launch = "3", .ending = format::Ending::kOpen}}) {
    const Collected collected = replace({rank});
    ASSERT_EQ(collected.runs.size(), 1u);
    ASSERT_FALSE(collected.left.empty());
    EXPECT_THAT(collected.left[0], HasSubstr("apmt-app.p1.r1 is not replaced: in the new run 1 of "
                                             "1 rank"));
    fs::remove_all(collected.runs[0]);
  }
  EXPECT_EQ(launch_of("apmt-app.p1.r1"), "1");
}

TEST_F(Replacing, WithoutFinalizeIsWholeWhereItIsTheHabit) {
  make({{.launch = "1", .finalizes = false}});
  EXPECT_THAT(replace({{.launch = "2", .finalizes = false}}).left, IsEmpty());
  ASSERT_THAT(entries(), ElementsAre("apmt-app.p1.r1"));
  EXPECT_EQ(launch_of("apmt-app.p1.r1"), "2");
}

TEST_F(Replacing, WhatIsHiddenIsNoRun) {
  make({{.launch = "1"}});
  fs::rename(experiment() / "apmt-app.p1.r1", experiment() / ".simulating-7");
  EXPECT_THAT(profiles_in(experiment()), IsEmpty());
  EXPECT_EQ(kind_of(experiment()), PathKind::kOther);
  make({{.launch = "2"}});
  EXPECT_THAT(profiles_in(experiment()), ElementsAre(experiment() / "apmt-app.p1.r1/profile.json"));
}

}  // namespace
}  // namespace apmt
