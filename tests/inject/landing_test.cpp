// Tests where recordings are stored and how they are merged into runs: under launchers that set few
// environment variables, and with nodes, disks and settings that cause problems.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "base/atomic_file.h"
#include "command.h"
#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSerial = APMT_VICTIMS "/victim_known_loop";

class Landing : public ::testing::TestWithParam<const Mpi*> {
 protected:
  void SetUp() override {
    if (!GetParam()->present()) GTEST_SKIP() << GetParam()->missing();
  }
  std::string preload() const {
    return "LD_PRELOAD=" APMT_LIBRARIES "/libapmt-" + GetParam()->name + ".so ";
  }
  std::string ranks(int count, const std::string& wrapper = {}) const {
    return GetParam()->run + " " + std::to_string(count) + " " + wrapper + " " +
           GetParam()->examples + "/halo2d 100 5";
  }
  std::string program_path(const std::string& name) const {
    return APMT_PROGRAMS "/" + GetParam()->name + "/" + name;
  }
  int ranks_in(const fs::path& run) const {
    return folder_.json("apmt info --json " + run.string()).at("health").at("ranks_present");
  }
  Folder folder_;
};

/// The setting with which a launch of Open MPI has a session directory of its own (see
/// command.cpp).
std::string own_directory(const std::string& launch) {
  return "OMPI_MCA_orte_tmpdir_base=$OMPI_MCA_orte_tmpdir_base/" + launch + " ";
}

class LandingTogether : public ::testing::Test {
 protected:
  Folder folder_;
};

/// Several launches at the same time store into one folder. Some use a wrapper, so that each of
/// their ranks has its own parent process.
TEST_P(Landing, LaunchesThatRunTogetherAreKeptApart) {
  const Output output = folder_.run("export " + preload() + " APMT_DIR=$PWD/e; for i in 1 2; do " +
                                    own_directory("$i") + ranks(2, "env RANK_WRAPPER=$i nice") +
                                    " & done; " + ranks(3) + " & wait");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Output merged = folder_.run("apmt merge e");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  SCOPED_TRACE(output.out + output.err + merged.out + merged.err + folder_.run("ls -R e").out);
  for (const char* run : {"e/apmt-halo2d.p2.r1", "e/apmt-halo2d.p2.r2"})
    EXPECT_EQ(ranks_in(run), 2);
  EXPECT_EQ(ranks_in("e/apmt-halo2d.p3.r1"), 3);
  EXPECT_FALSE(fs::exists(folder_.path() / "e/running-unnamed")) << "nothing is left";
}

/// Launches of Open MPI (with and without a wrapper), of MPICH and of a serial program (by `apmt
/// record`) run at the same time and record into one folder. Each MPI launch makes a different
/// number of calls, so the test notices a run that was merged from ranks of two launches.
TEST_F(LandingTogether, ManyLaunchesAtOnceAreARunEach) {
  if (!openmpi().present() || !mpich().present()) GTEST_SKIP() << "needs both MPIs";
  const char* wanted = std::getenv("APMT_TEST_LAUNCHES");
  const int launches = wanted == nullptr ? 12 : std::atoi(wanted);
  const auto halo2d = [](const Mpi& mpi, const std::string& wrapper, int steps) {
    return "LD_PRELOAD=" APMT_LIBRARIES "/libapmt-" + mpi.name + ".so " + mpi.run + " 2 " +
           wrapper + " " + mpi.examples + "/halo2d 100 " + std::to_string(steps);
  };
  std::ostringstream script;
  script << "export APMT_DIR=$PWD/e\npids=\n";
  std::multiset<int> steps_started;
  for (int i = 0; i < launches; ++i) {
    const int steps = 5 + i;
    if (i % 4 == 3)
      script << "(apmt record -d e " << kSerial << "; test $? = 7)";
    else
      script << own_directory(std::to_string(i))
             << halo2d(i % 4 == 2 ? mpich() : openmpi(), i % 4 == 1 ? "nice" : "", steps);
    script << " >out." << i << " 2>&1 & pids=\"$pids $!\"\n";
    if (i % 4 != 3) steps_started.insert(steps);
  }
  script << "for pid in $pids; do wait $pid || exit 1; done\n";
  std::ofstream(folder_.path() / "launch.sh") << script.str();
  const Output output = folder_.run("bash launch.sh || { tail -n 3 out.*; exit 1; }");
  ASSERT_EQ(output.exit_code, 0) << output.out << output.err;
  const Output merged = folder_.run("apmt merge e");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  std::multiset<int> steps_found;
  int serial = 0;
  for (const fs::directory_entry& run : fs::directory_iterator(folder_.path() / "e")) {
    const RunProfile profile = read_run_profile(run.path() / "profile.json");
    EXPECT_EQ(profile.health.ranks_present, profile.config.procs) << run.path();
    if (profile.config.procs == 1) ++serial;
    for (const MpiRow& row : profile.mpi)
      if (row.op == "MPI_Allreduce") steps_found.insert(static_cast<int>(row.calls / 2) - 2);
  }
  EXPECT_EQ(steps_found, steps_started);
  EXPECT_EQ(serial, launches / 4);
}

/// A rank must not list the folder, because the folder may hold the files of thousands of ranks.
/// Here the ranks have no permission to read it.
TEST_P(Landing, NoRankListsTheFolder) {
  const Output output = folder_.run(
      "chmod 755 . && mkdir -m 1733 e e/running-unnamed && "
      "setpriv --reuid 65534 --regid 65534 --clear-groups sh -c '! ls e 2>/dev/null && export " +
      preload() + " APMT_DIR=$PWD/e && " + ranks(2) + "'");
  if (output.exit_code != 0) GTEST_SKIP() << "needs the right to become another user";
  EXPECT_EQ(folder_.run("ls e/running-unnamed/rank-0000[01]-*.apmt | wc -l").out, "2\n");
}

/// With APMT_STAGE the recording is written to a folder of this node and copied when the process
/// ends; if the process is killed, apmt copies it later.
TEST_P(Landing, ARecordingMayBeStaged) {
  fs::create_directories(folder_.path() / "stage");
  const std::string stage = "APMT_STAGE=" + (folder_.path() / "stage").string() + " ";
  const Output output = folder_.run(stage + "apmt record -d e " + ranks(2));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(ranks_in("e/apmt-halo2d.p2.r1"), 2);
  EXPECT_TRUE(fs::is_empty(folder_.path() / "stage"));
  const std::string program = program_path("diary") + " . segv";
  folder_.run(stage + "apmt record -d k " + GetParam()->run + " 2 " + program);
  EXPECT_EQ(ranks_in(folder_.only("k", "apmt-diary.p2.r1")), 2);
  EXPECT_TRUE(fs::is_empty(folder_.path() / "stage"));
}

/// The disk fills while the program runs: it has room for the recordings, but not for the files of
/// the merged run.
TEST_P(Landing, ADiskThatFillsMeanwhileIsSaidAndNoFailureOfTheProgram) {
  if (folder_.run("mkdir full && mount -t tmpfs -o size=64m none full").exit_code != 0)
    GTEST_SKIP() << "needs root to mount a small disk";
  const Output output =
      folder_.run("apmt record -d full/e " + GetParam()->run + " 2 " + program_path("meanwhile") +
                  " 'dd if=/dev/zero of=full/filling bs=64K 2>/dev/null; true'");
  const Output again = folder_.run("rm full/filling && apmt merge full/e");
  folder_.run("cp -r full/e . ; umount full");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("meanwhile is done"));
  EXPECT_THAT(output.err, HasSubstr("error: not merged: "));
  EXPECT_THAT(output.err, HasSubstr("No space left on device"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(ranks_in("e/apmt-meanwhile.p2.r1"), 2);
}

/// `timeout` is not a launcher, but starts one. Here, apmt itself is not a rank, although
/// SLURM_PROCID (as in sbatch's script) and SLURM_STEP_ID (as in srun's tasks) are set in its
/// environment.
TEST_P(Landing, AWrappedLauncherInABatchJobIsFollowedToItsEnd) {
  const Output output = folder_.run(
      "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID=0 "
      "apmt record -d e timeout 60 " +
      ranks(2));
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("recorded 2 ranks"));
}

INSTANTIATE_TEST_SUITE_P(Each, Landing, ::testing::Values(&openmpi(), &mpich()),
                         [](const auto& mpi) { return mpi.param->name; });

/// In a script of sbatch, mpirun itself starts the ranks of its own node, which therefore have no
/// step id. It starts the ranks of other nodes through srun, so those ranks have the step id of
/// mpirun's daemon.
TEST(LandingOpenMpi, UnderSbatchAllRanksAreInOneRun) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  const std::string two_nodes =
      "sh -c 'export SLURM_JOB_ID=7; [ $OMPI_COMM_WORLD_RANK = 0 ] || export SLURM_STEP_ID=0 "
      "SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0; exec " +
      openmpi().examples + "/halo2d 100 5'";
  ASSERT_EQ(folder
                .run("APMT_DIR=$PWD/e LD_PRELOAD=" APMT_LIBRARIES "/libapmt-openmpi.so " +
                     openmpi().run + " 2 " + two_nodes)
                .exit_code,
            0);
  const Output merged = folder.run("apmt merge e");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(folder.json("apmt info --json e/apmt-halo2d.p2.r1").at("health").at("ranks_present"),
            2);
}

/// Hydra, MPICH's launcher, starts a proxy process on each node. Here a stand-in for rsh starts all
/// proxies on this machine.
TEST(LandingHydra, OnSeveralHostsTwoLaunchesAreTwoRuns) {
  if (!mpich().present()) GTEST_SKIP() << mpich().missing();
  Folder folder;
  const std::string launch =
      "mpiexec.hydra -launcher rsh -launcher-exec $PWD/rsh -hosts a,b -ppn 1 "
      "-n 2 " +
      mpich().examples + "/halo2d 100 5";
  if (folder
          .run("printf '#!/bin/sh\\nshift\\nexec sh -c \"$*\"\\n' >rsh && chmod +x rsh && timeout "
               "5 " +
               launch)
          .exit_code != 0)
    GTEST_SKIP() << "this hydra does not start over several hosts here";
  const Output output =
      folder.run("export APMT_DIR=$PWD/e LD_PRELOAD=" APMT_LIBRARIES "/libapmt-mpich.so; " +
                 launch + " & " + launch + " & wait");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Output merged = folder.run("apmt merge e");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  for (const char* run : {"e/apmt-halo2d.p2.r1", "e/apmt-halo2d.p2.r2"})
    EXPECT_EQ(folder.json(std::string("apmt info --json ") + run).at("health").at("ranks_present"),
              2);
}

/// In this test, every rank is process 1 of its own name space and cannot see the launcher's
/// process. First one launch runs alone; then two run at the same time. Only PALS_APID, set here as
/// Cray's launcher PALS sets it, tells these two apart.
TEST(LandingContainers, RanksThatSeeOnlyThemselvesAreOneRun) {
  if (!mpich().present()) GTEST_SKIP() << mpich().missing();
  Folder folder;
  const std::string launch =
      "mpiexec.mpich -n 2 unshare --fork --pid --mount-proc " + mpich().examples + "/halo2d 100 5";
  if (folder.run(launch).exit_code != 0) GTEST_SKIP() << "needs root and unshare";
  const std::string preload =
      "export APMT_DIR=$PWD/e LD_PRELOAD=" APMT_LIBRARIES "/libapmt-mpich.so; ";
  ASSERT_EQ(
      folder.run(preload + launch + " && for i in 1 2; do PALS_APID=$i " + launch + " & done; wait")
          .exit_code,
      0);
  const Output merged = folder.run("apmt merge e");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  for (const char* run : {"e/apmt-halo2d.p2.r1", "e/apmt-halo2d.p2.r2", "e/apmt-halo2d.p2.r3"})
    EXPECT_EQ(folder.json(std::string("apmt info --json ") + run).at("health").at("ranks_present"),
              2);
}

TEST(LandingSerial, AFileSizeLimitIsSaid) {
  Folder folder;
  const Output output = folder.run("ulimit -f 8000; apmt record -d e " + std::string(kSerial));
  EXPECT_EQ(output.exit_code, 7) << "the program's own";
  EXPECT_THAT(output.err, HasSubstr("nothing was recorded: 1 process reports: the file size limit "
                                    "(ulimit -f) is too small for a recording"));
  EXPECT_FALSE(fs::exists(folder.path() / "e")) << "nothing is left";
}

/// A process that cannot record leaves a link that states the reason. If it cannot make the link
/// either, it prints the reason, unless it must be quiet.
TEST(LandingSerial, AReasonThatCannotBeLeftIsSaid) {
  Folder folder;
  const std::string program = std::string("APMT_DIR=/proc/sys APMT_TARGET=") + kSerial +
                              " LD_PRELOAD=" APMT_LIBRARIES "/libapmt-serial.so " + kSerial;
  const Output said = folder.run("APMT_QUIET=reasons " + program);
  EXPECT_EQ(said.exit_code, 7) << "the program's own";
  EXPECT_THAT(said.err, HasSubstr("apmt: not recording: "));
  EXPECT_EQ(folder.run("APMT_QUIET=1 " + program).err, "");
}

TEST(LandingSerial, APreloadThatTheCommandReplacesIsNamed) {
  Folder folder;
  const Output output =
      folder.run("apmt record -d e env LD_PRELOAD=libm.so.6 " + std::string(kSerial));
  EXPECT_THAT(output.err, HasSubstr("'LD_PRELOAD=libm.so.6' in the command takes the place of "
                                    "libapmt-serial.so"));
}

TEST(LandingSerial, AFullDiskIsSaid) {
  Folder folder;
  if (folder.run("mkdir full && mount -t tmpfs -o size=1m none full").exit_code != 0)
    GTEST_SKIP() << "needs root to mount a small disk";
  const Output succeeds = folder.run("apmt record -d full/e sleep 0");
  const Output output = folder.run("apmt record -d full/e " + std::string(kSerial));
  folder.run("umount full");
  EXPECT_EQ(succeeds.exit_code, 0) << "the program's own";
  EXPECT_EQ(output.exit_code, 7) << "the program's own";
  EXPECT_THAT(output.err, HasSubstr("nothing was recorded: 1 process reports: no space left on the "
                                    "disk"));
}

TEST(LandingSerial, AnInstallationBehindABlankRecords) {
  Folder folder;
  const fs::path prefix = folder.path() / "with a blank";
  fs::create_directories(prefix / "bin");
  fs::copy(APMT_COMMAND, prefix / "bin/apmt");
  const fs::path build = fs::path(APMT_LIBRARIES).parent_path();
  for (const fs::path& part : {fs::path(APMT_LIBRARIES).filename(), fs::path("share")})
    fs::create_directory_symlink(build / part, prefix / part);
  for (const std::string experiment : {"e", "also here/e"}) {
    const Output output =
        folder.run("'with a blank/bin/apmt' record -d '" + experiment + "' " + kSerial);
    EXPECT_EQ(output.exit_code, 7) << "the program's own";
    EXPECT_THAT(output.err, HasSubstr("recorded 1 rank"));
  }
  const Output nowhere = folder.run(
      "mkdir 'no place' && TMPDIR=\"$PWD/no place\" "
      "'with a blank/bin/apmt' record -d 'also here/e' " +
      std::string(kSerial));
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("the loader splits LD_PRELOAD at blanks"));
}

TEST(LandingSerial, AnAddressSanitizerThatWantsToComeFirstIsNamed) {
  Folder folder;
  if (folder
          .run("echo 'int main(void) { return 0; }' >a.c && cc -fsanitize=address a.c -o a && ./a")
          .exit_code != 0)
    GTEST_SKIP() << "no AddressSanitizer here";
  const Output output = folder.run("apmt record -d e ./a");
  if (output.err.find("recorded 1 rank") != std::string::npos)
    GTEST_SKIP() << "this one does not insist";
  EXPECT_THAT(output.err, HasSubstr("ASAN_OPTIONS=verify_asan_link_order=0"));
  EXPECT_THAT(folder.run("ASAN_OPTIONS=verify_asan_link_order=0 apmt record -d e ./a").err,
              HasSubstr("recorded 1 rank"));
}

}  // namespace
}  // namespace apmt::testing
