// Tests launches on several nodes under PBS, which are simulated on this machine: each rank has its
// own host name and PID namespace, and a script replaces rsh. Also tests real file systems on which
// a mapped file may fail: FUSE, and a btrfs that fills up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

int ranks_in(const Folder& folder, const std::string& run) {
  return folder.json("apmt info --json " + run).at("health").at("ranks_present");
}

class LandingPbs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!mpich().present()) GTEST_SKIP() << mpich().missing();
    // The script `node` gives each rank a host name and process numbers of its own. So a rank
    // cannot see Hydra's proxy: the rank's parent is a process of the script.
    folder_.run(
        "cat >node <<'END'\n#!/bin/sh\nexec unshare --uts --pid --fork --mount-proc sh -c "
        "'hostname node-$PMI_RANK && exec \"$@\"' sh \"$@\"\nEND\n"
        "cat >rsh <<'END'\n#!/bin/sh\nhost=$1; shift\nexec unshare --uts sh -c \"hostname $host && "
        "$*\"\nEND\nprintf 'a\\nb\\n' >nodes; chmod +x node rsh");
    if (folder_.run("PMI_RANK=0 ./node true").exit_code != 0)
      GTEST_SKIP() << "needs root and unshare";
  }
  std::string halo2d() const {
    return "env LD_PRELOAD=" APMT_LIBRARIES "/libapmt-mpich.so " + mpich().examples +
           "/halo2d 100 5 ";
  }
  /// A command that launches two ranks on two nodes; only the job's id identifies the launch.
  std::string in_job(const std::string& job) const {
    return "PBS_JOBID=" + job + " mpiexec.mpich -n 2 ./node " + halo2d();
  }
  Folder folder_;
};

TEST_F(LandingPbs, JobsThatRunTogetherOnTheirNodesAreARunEach) {
  const Output output =
      folder_.run("export APMT_DIR=$PWD/e; " + in_job("1.pbs") + "& " + in_job("2.pbs") + "& wait");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Output merged = folder_.run("apmt merge e");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  for (const char* run : {"e/apmt-halo2d.p2.r1", "e/apmt-halo2d.p2.r2"}) {
    EXPECT_EQ(ranks_in(folder_, run), 2);
    EXPECT_THAT(folder_.run(std::string("apmt info ") + run).out,
                AllOf(HasSubstr("node-0"), HasSubstr("node-1")));
  }
}

TEST_F(LandingPbs, LaunchesOfOneJobThatNothingTellsApartAreRefused) {
  const Output output =
      folder_.run("export APMT_DIR=$PWD/e; " + in_job("3.pbs") + "& " + in_job("3.pbs") + "& wait");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Output merged = folder_.run("apmt merge e");
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_THAT(merged.err, HasSubstr("nothing tells which belong together"));
  EXPECT_EQ(folder_.run("apmt info e").out.find("halo2d"), std::string::npos);
}

/// Hydra gets the nodes of the job from PBS, and starts a proxy on each.
TEST_F(LandingPbs, HydraOnItsNodesKeepsLaunchesOfOneJobApart) {
  const std::string launch =
      "mpiexec.hydra -rmk pbs -launcher rsh -launcher-exec $PWD/rsh -ppn 1 -n 2 " + halo2d();
  const std::string job =
      "export PBS_JOBID=4.pbs PBS_ENVIRONMENT=PBS_BATCH PBS_NODEFILE=$PWD/nodes APMT_DIR=$PWD/e; ";
  if (folder_.run(job + "APMT_DIR=$PWD/trial timeout 20 " + launch).exit_code != 0)
    GTEST_SKIP() << "this hydra does not start over several hosts here";
  const Output output = folder_.run(job + launch + "& " + launch + "& wait");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Output merged = folder_.run("apmt merge e");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  for (const char* run : {"e/apmt-halo2d.p2.r1", "e/apmt-halo2d.p2.r2"}) {
    EXPECT_EQ(ranks_in(folder_, run), 2);
    EXPECT_THAT(folder_.run(std::string("apmt info ") + run).out, HasSubstr("a (one rank on "));
  }
}

/// A folder with a file system of its own, which is unmounted at the end of the test.
class FileSystem : public ::testing::TestWithParam<const Mpi*> {
 protected:
  void SetUp() override {
    if (!GetParam()->present()) GTEST_SKIP() << GetParam()->missing();
  }
  void TearDown() override { folder_.run("umount -l there; true"); }
  bool is_mounted_by(const std::string& command) const {
    return folder_.run("mkdir there && PATH=$PATH:/usr/sbin && " + command).exit_code == 0;
  }
  /// Records two ranks in that folder; the command `meanwhile` runs during the recording.
  Output record(const std::string& meanwhile) const {
    return folder_.run("apmt record -d there/e " + GetParam()->run + " 2 " APMT_PROGRAMS "/" +
                       GetParam()->name + "/meanwhile '" + meanwhile + "'");
  }
  void expect_program_unharmed(const Output& output) const {
    EXPECT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(output.out, HasSubstr("meanwhile is done"));
    EXPECT_THAT(output.err, HasSubstr("the recording could not be copied from /"));
  }
  Folder folder_;
};

TEST_P(FileSystem, ThatIsServedByAProcessHoldsRecordingsAsAnyOther) {
  if (!is_mounted_by("mkdir served && bindfs served there"))
    GTEST_SKIP() << "needs root, FUSE and bindfs";
  const Output output = record("test -n \"$(find there -name rank-\\*.staged)\"");
  EXPECT_EQ(output.exit_code, 0) << output.err << "they were not staged";
  EXPECT_EQ(ranks_in(folder_, "there/e/apmt-meanwhile.p2.r1"), 2);
  EXPECT_EQ(folder_.run("find there -name rank-\\*.staged -o -name running-\\*").out, "");
}

TEST_P(FileSystem, WhoseServerGoesAwayHarmsNoProgram) {
  if (!is_mounted_by("mkdir served && bindfs -f served there & echo $! >server; "
                     "for i in 1 2 3 4 5 6 7 8 9; do mountpoint -q there && break; sleep 1; done; "
                     "mountpoint -q there"))
    GTEST_SKIP() << "needs root, FUSE and bindfs";
  expect_program_unharmed(record("kill -9 $(cat server)"));
  folder_.run("umount -l there; ln -s served/e again");
  const Output merged = folder_.run("apmt merge again");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(ranks_in(folder_, "again/apmt-meanwhile.p2.r1"), 2) << "brought from this node";
}

/// The folder is removed during the run, as may happen on another node. Then a message names the
/// recording that cannot be copied, and the recording stays on this node.
TEST_P(FileSystem, FromWhichTheFolderIsRemovedHarmsNoProgram) {
  if (!is_mounted_by("mkdir served && bindfs served there"))
    GTEST_SKIP() << "needs root, FUSE and bindfs";
  const Output output = record("rm -rf served/e");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("meanwhile is done"));
  EXPECT_THAT(output.err, HasSubstr("the recording could not be copied from /"));
  EXPECT_THAT(output.err, HasSubstr("nothing was recorded"));
}

TEST_P(FileSystem, ThatCopiesOnWriteAndFillsHarmsNoProgram) {
  if (!is_mounted_by("truncate -s 48M disk && mkfs.btrfs -q -M disk && mount -o loop disk there"))
    GTEST_SKIP() << "needs root, loop devices and mkfs.btrfs";
  expect_program_unharmed(
      record("dd if=/dev/urandom of=there/filling bs=64K 2>/dev/null; sync; true"));
  EXPECT_EQ(folder_.run("rm there/filling && sync && apmt merge there/e").exit_code, 0);
  EXPECT_EQ(ranks_in(folder_, "there/e/apmt-meanwhile.p2.r1"), 2) << "when there is room again";
}

INSTANTIATE_TEST_SUITE_P(Each, FileSystem, ::testing::Values(&openmpi(), &mpich()),
                         [](const auto& mpi) { return mpi.param->name; });

}  // namespace
}  // namespace apmt::testing
