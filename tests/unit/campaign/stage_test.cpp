// Tests of the messages and files of a campaign in which runs fail.
#include "campaign/stage.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "campaign/store/unmerged.h"
#include "tests/unit/campaign/left_recordings.h"

namespace apmt {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const LaunchNote kNote = {{"mpirun", "./app"}, 1.0, 1, {}, 0};
const std::string kStaged = ".campaign-p1/running-7";

class CampaignStage : public LeftRecordings {
 protected:
  const Rank kKilled{.ago_s = 2 * kLease_s, .ending = format::Ending::kOpen};

  /// Moves a recording from a launch's folder to this node's temporary folder, and leaves a .staged
  /// link.
  fs::path stage_on_node(const fs::path& recording) const {
    fs::path there = folder_.path() / "tmp" / ("apmt-" + recording.filename().string());
    fs::create_directories(there.parent_path());
    fs::rename(recording, there);
    link_to(there, fs::path(recording).replace_extension(".staged"));
    return there;
  }
  static void link_to(const fs::path& there, const fs::path& link) {
    fs::create_symlink(this_host() + ":" + there.string(), link);
  }
  static void make_older(const fs::path& link, std::int64_t seconds) {
    const std::int64_t now_s = now_ns() / kSecond;
    const timespec times[2] = {{now_s - seconds, 0}, {now_s - seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, link.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }
};

TEST_F(CampaignStage, SaysWhatCouldNotBeMergedBesideWhatCould) {
  Stage stage(experiment(), "p1");
  write({.launch = "1"}, kStaged);
  write_file_atomically(experiment() / kStaged / "rank-00001-x.apmt", "damaged");
  std::vector<fs::path> replaced;
  EXPECT_EQ(stage.keep("7", kNote, &replaced).size(), 1u);
  ASSERT_EQ(stage.problems().size(), 1u);
  EXPECT_THAT(stage.problems()[0], HasSubstr("rank-00001-x.apmt: not a recording"));
}

TEST_F(CampaignStage, KeepsTheOutputOfEachCommandThatFailed) {
  for (const char* run_id : {"7", "8"}) {
    Stage stage(experiment(), "p1");
    write_file_atomically(stage.output(), run_id);
    EXPECT_EQ(read_whole_file(stage.set_aside(run_id)), run_id);
  }
  EXPECT_EQ(read_whole_file(experiment() / "failed-7.txt"), "7");
}

TEST_F(CampaignStage, SaysTheSameOfWhatAnEarlierCampaignLeft) {
  write({.launch = "1"}, kStaged);
  write_file_atomically(experiment() / kStaged / "rank-00001-x.apmt", "damaged");
  write_launch_note(kNote, experiment() / kStaged);
  {
    Stage stage(experiment(), "p1");
    stage.salvage();
    ASSERT_EQ(stage.problems().size(), 1u);
    EXPECT_THAT(stage.problems()[0], HasSubstr("rank-00001-x.apmt: not a recording"));
  }
  EXPECT_EQ(Stage::salvage_abandoned(experiment()).size(), 1u);
}

TEST_F(CampaignStage, WhatIsThrownAwayLeavesNothingOnTheNode) {
  Stage stage(experiment(), "p1");
  fs::path there = stage_on_node(write(kKilled, kStaged));
  stage.discard("7");
  EXPECT_FALSE(fs::exists(there));
  EXPECT_FALSE(fs::exists(experiment() / kStaged));
  there = stage_on_node(write(kKilled, kStaged));
  stage.salvage();
  EXPECT_FALSE(fs::exists(there));
  EXPECT_FALSE(fs::exists(experiment() / kStaged));
}

TEST_F(CampaignStage, WhatFailedKeepsItsRecordings) {
  Stage stage(experiment(), "p1");
  const fs::path recording = write({}, kStaged);
  const fs::path there = stage_on_node(recording);
  stage.set_aside("7");
  EXPECT_TRUE(fs::exists(experiment() / "failed-7" / recording.filename()));
  EXPECT_FALSE(fs::exists(there));
}

TEST_F(CampaignStage, ALinkWhoseFileIsAboutToBeMadeIsLeftAlone) {
  write({});
  const fs::path link = running() / "rank-00001-node-1-abc.staged";
  link_to(folder_.path() / "apmt-rank-00001-node-1-abc.apmt", link);
  EXPECT_THAT(bring_home(running(), false), IsEmpty());
  EXPECT_THAT(bring_home(running(), true), IsEmpty()) << "process 1 runs";
  EXPECT_TRUE(fs::is_symlink(link));
  ASSERT_NO_FATAL_FAILURE(make_older(link, 120));
  EXPECT_THAT(bring_home(running(), false), ElementsAre(HasSubstr("a recording is missing")));
  EXPECT_FALSE(fs::is_symlink(link));
}

TEST_F(CampaignStage, SaysWhyARecordingIsStillOnTheNode) {
  stage_on_node(write(kKilled));
  EXPECT_THAT(not_brought(running()), ElementsAre(HasSubstr("it could not be copied; apmt merge")));
  write({});
  link_to(folder_.path() / "apmt-rank-00001-node-1-abc.apmt",
          running() / "rank-00001-node-1-abc.staged");
  EXPECT_THAT(not_brought(running()), Contains(HasSubstr("its process is running")));
}

TEST_F(CampaignStage, ALinkOfAProcessThatHasGoneIsLostWhenNoMoreIsToCome) {
  write({});
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  const std::string name = "rank-00001-my-node-" + std::to_string(gone) + "-abc";
  link_to(folder_.path() / ("apmt-" + name + ".apmt"), running() / (name + ".staged"));
  EXPECT_THAT(bring_home(running(), false), IsEmpty());
  EXPECT_THAT(bring_home(running(), true), ElementsAre(HasSubstr("a recording is missing")));
}

}  // namespace
}  // namespace apmt
