// Tests `apmt run` with the installed launchers: which runs it makes, which it does not repeat, and
// what it prints when a run fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/atomic_file.h"
#include "campaign/launching/program_files.h"
#include "command.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> entries(const fs::path& dir) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class EachLauncher : public ::testing::TestWithParam<const Mpi*> {
 protected:
  void SetUp() override {
    if (!GetParam()->present()) GTEST_SKIP() << GetParam()->missing();
  }
  std::string halo2d(const std::string& arguments) const {
    return GetParam()->run + " {p} " + GetParam()->examples + "/halo2d " + arguments;
  }
  Folder folder_;
};

TEST_P(EachLauncher, MakesEveryRunInTurnsThenFitsAndPredicts) {
  const Output output = folder_.run("apmt run --procs 1,2,4 --reps 2 --set n=300 --predict 16 -- " +
                                    halo2d("{n} 60"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(entries(folder_.path() / "apmt-halo2d"),
              ElementsAre("apmt-halo2d.p1.n300.r1", "apmt-halo2d.p1.n300.r2",
                          "apmt-halo2d.p2.n300.r1", "apmt-halo2d.p2.n300.r2",
                          "apmt-halo2d.p4.n300.r1", "apmt-halo2d.p4.n300.r2", "model.json"));
  EXPECT_THAT(output.out, HasSubstr("At 16 processes expect"));
  EXPECT_THAT(output.err, HasSubstr("run 1 of 6: 1 process, n = 300"));
  EXPECT_THAT(output.err, HasSubstr("run 2 of 6: 2 processes, n = 300"));
  EXPECT_THAT(output.err, HasSubstr("run 6 of 6: 4 processes, n = 300"));
  const fs::path run = folder_.path() / "apmt-halo2d/apmt-halo2d.p4.n300.r2";
  EXPECT_THAT(read_whole_file(run / "output.txt"), HasSubstr("ok halo2d 300 60 checksum"));

  const Output again =
      folder_.run("apmt run --procs 1,2,4 --reps 2 --set n=300 -- " + halo2d("{n} 60"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, Not(HasSubstr("run 1"))) << "no run is repeated";
  EXPECT_THAT(again.err, HasSubstr("6 runs in apmt-halo2d: all exist, so nothing was run; "
                                   "--force makes them again"));

  const Output other =
      folder_.run("apmt run --procs 1,2,4 --reps 2 --set n=300 -- " + halo2d("{n} 61"));
  EXPECT_EQ(other.exit_code, 2) << "runs of another command are not mixed in silently";
  EXPECT_THAT(other.err, HasSubstr("was made by another command, with '"));

  const Output forced =
      folder_.run("apmt run --force --procs 2 --reps 2 --set n=300 -- " + halo2d("{n} 61"));
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_THAT(entries(folder_.path() / "apmt-halo2d"),
              ElementsAre("apmt-halo2d.p1.n300.r1", "apmt-halo2d.p1.n300.r2",
                          "apmt-halo2d.p2.n300.r1", "apmt-halo2d.p2.n300.r2",
                          "apmt-halo2d.p4.n300.r1", "apmt-halo2d.p4.n300.r2", "model.json"))
      << "each new run replaces an old one, never another new one";
  EXPECT_THAT(read_whole_file(folder_.path() / "apmt-halo2d/apmt-halo2d.p2.n300.r1" / "output.txt"),
              HasSubstr("ok halo2d 300 61 checksum"));
}

TEST_P(EachLauncher, WeakScalingGrowsTheSizes) {
  const Output output =
      folder_.run("apmt run --procs 1,2,4 --scaling weak --work 'n*n' --set n=300 --dry-run -- " +
                  halo2d("{n} 60"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("1 " + GetParam()->examples + "/halo2d 300 60\n"));
  EXPECT_THAT(output.out, HasSubstr("2 " + GetParam()->examples + "/halo2d 424 60\n"));
  EXPECT_THAT(output.out, HasSubstr("4 " + GetParam()->examples + "/halo2d 600 60\n"));
  EXPECT_FALSE(fs::exists(folder_.path() / "apmt-halo2d")) << "a dry run leaves nothing";
}

TEST_P(EachLauncher, WeakScalingOfACommandForOneProcessNeedsNoSizes) {
  const std::string run = "apmt run --procs 1,2 --reps 1 --scaling weak -d e -- ";
  const Output output = folder_.run(run + halo2d("200 60"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("the work grows like the number of processes"));
  EXPECT_EQ(folder_.json("apmt predict e --procs 4 --json").at("params").at("work"), 4);
}

TEST_P(EachLauncher, WhatTheWorkIsReachesTheModel) {
  const std::string run = "apmt run --procs 1,2 --reps 1 --scaling weak --set n=200 -d e --work ";
  const Output odd = folder_.run(run + "'m*m' -- " + halo2d("{n} 60"));
  EXPECT_EQ(odd.exit_code, 2) << "before anything was run";
  EXPECT_THAT(odd.err, HasSubstr("no problem size is called 'm'"));
  ASSERT_EQ(folder_.run(run + "'n*n' -- " + halo2d("{n} 60")).exit_code, 0);
  EXPECT_THAT(folder_.run("apmt fit e").out, HasSubstr("D = n*n"));
  EXPECT_EQ(folder_.json("apmt predict e --procs 4 --json").at("params").at("n"), 400);
}

TEST_P(EachLauncher, RepeatsWhatIsNotKnownWellEnough) {
  const Output output = folder_.run(
      "apmt run --procs 1 --reps 2 --spread 0.000001 --max-reps 4 -- " + halo2d("300 60"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(entries(folder_.path() / "apmt-halo2d").size(), 4u);
  EXPECT_THAT(output.err, HasSubstr("the time is known only within"));
  const Output enough =
      folder_.run("apmt run --procs 1 --reps 2 --spread 1 --max-reps 9 -- " + halo2d("300 60"));
  EXPECT_EQ(enough.exit_code, 0) << enough.err;
  EXPECT_EQ(entries(folder_.path() / "apmt-halo2d").size(), 4u) << "known well enough: none added";
}

TEST_P(EachLauncher, StopsAtAFailureAndSaysWhatWasPrinted) {
  const Output output = folder_.run("apmt run --procs 1,2 --reps 2 -d study -- " + GetParam()->run +
                                    " {p} sh -c 'echo the mesh is missing; exit 7'");
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr("run 1 of 4 ended with exit code"));
  EXPECT_THAT(output.err, HasSubstr("  | the mesh is missing"));
  EXPECT_THAT(entries(folder_.path() / "study"),
              ElementsAre(::testing::MatchesRegex("failed-.*[.]txt")));
}

TEST_P(EachLauncher, ARunThatAbortsGetsNoRunsName) {
  const Output output = folder_.run("apmt run --procs 2 -d study -- " + GetParam()->run + " {p} " +
                                    GetParam()->examples + "/halo2d 300 0");
  EXPECT_EQ(output.exit_code, 1) << "halo2d refuses zero iterations";
  for (const std::string& name : entries(folder_.path() / "study"))
    EXPECT_THAT(name, ::testing::StartsWith("failed-"));
}

INSTANTIATE_TEST_SUITE_P(Campaign, EachLauncher, ::testing::Values(&openmpi(), &mpich()),
                         [](const auto& param_info) { return param_info.param->name; });

TEST(Campaign, RefusesWhatCannotBeMeant) {
  Folder folder;
  const auto refuses = [&](const std::string& arguments, const std::string& message) {
    const Output output = folder.run("apmt run " + arguments);
    EXPECT_EQ(output.exit_code, 2) << arguments << "\n" << output.err;
    EXPECT_THAT(output.err, HasSubstr(message)) << arguments;
  };
  refuses("--procs 2 -- mpirun -np 2 ./app", "has no {p}");
  refuses("--procs 2 -- mpirun -np {p} ./app {n}", "{n} has no value");
  refuses("--procs 0 -- mpirun -np {p} ./app", "0");
  refuses("--procs 2,4 --set work=1,2 -- mpirun -np {p} ./app", "has no {work}");
  refuses("--procs 2,4 --scaling weak --set n=100 -- mpirun -np {p} ./app 100", "has no {n}");
  refuses("--procs 2 --set n=100,200 -- mpirun -np {p} ./app 100", "has no {n}");
  refuses("--procs 2 --set n=x -- mpirun -np {p} ./app {n}", "n=x");
  refuses("--procs 2 -- no-such-launcher -np {p}", "no such program");
  refuses("-- mpirun -np {p} ./app", "--procs");
  refuses("--procs 2 --force --emit slurm -- mpirun -np {p} sh", "jobs continue");
  refuses("--procs 2 --reps 2 --repetition 3 -- mpirun -np {p} sh", "at most --reps");
  refuses("--procs 2 --repetition 1 --spread 0.1 -- mpirun -np {p} sh",
          "needs several repetitions");
  refuses("--procs 2 --repetition 1 --force -- mpirun -np {p} sh", "would replace");
}

TEST(Campaign, ARunWithAnotherProcessCountIsSetAside) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  const Output output =
      folder.run("apmt run --procs 2 --reps 1 --dir study -- sh -c '" + openmpi().run + " 1 " +
                 openmpi().examples + "/halo2d 60 10' {p}");
  EXPECT_NE(output.exit_code, 0);
  EXPECT_THAT(output.err, HasSubstr("it ran with 1 process, not 2"));
  for (const std::string& name : entries(folder.path() / "study"))
    EXPECT_THAT(name, ::testing::StartsWith("failed-"));
}

TEST(Campaign, OnlyARepetitionIsMadeOnceWhateverElseIsThere) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  const auto element = [&](int repetition) {
    const Output output = folder.run(
        "apmt run --procs 2 --reps 3 --repetition " + std::to_string(repetition) +
        " --dir study -- " + openmpi().run + " {p} " + openmpi().examples + "/halo2d 60 10");
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return entries(folder.path() / "study").size();
  };
  EXPECT_EQ(element(3), 1U) << "other elements do not count as this one";
  EXPECT_EQ(element(1), 2U);
  EXPECT_EQ(element(3), 2U) << "it is there";
  EXPECT_EQ(element(2), 3U);
  EXPECT_EQ(element(1), 3U);
}

// If file locks do not reach other hosts, a run in progress on another host looks abandoned. Even
// so, apmt must not touch it.
TEST(Campaign, LeavesAloneWhatAnotherHostIsAtWorkOn) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  for (const std::string host : {"elsewhere", ""}) {
    const fs::path run = folder.path() / ("study" + host) / ".campaign-p64/running-7-app";
    fs::create_directories(run);
    write_file_atomically(run.parent_path() / "lock", host);
    const Output output =
        folder.run("apmt run --procs 2 --reps 1 --dir study" + host + " -- " + openmpi().run +
                   " {p} " + openmpi().examples + "/halo2d 60 10");
    EXPECT_EQ(output.exit_code, 0) << output.err;
    EXPECT_EQ(fs::exists(run), !host.empty());
  }
}

TEST(Campaign, RunsOfAnotherBuildDoNotCountUnlessToldTo) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  if (folder.run("mpirun --version").out.find("Open MPI") == std::string::npos)
    GTEST_SKIP() << "mpirun, which a script is taken to use, is not Open MPI's";
  folder.run("cp " + openmpi().examples + "/halo2d app && printf 'exec " + openmpi().run +
             " $1 ./app 300 60\n' >start.sh");
  const std::string campaign = "apmt run --procs 1 --reps 2 -d study ";
  const std::string command = "-- sh start.sh {p}";
  ASSERT_EQ(folder.run(campaign + command).exit_code, 0);
  const auto written = [&] {
    return fs::last_write_time(folder.path() / "study/apmt-app.p1.r1/profile.json");
  };
  const fs::file_time_type first = written();
  EXPECT_EQ(folder.run(campaign + command).exit_code, 0) << "nothing has changed";

  const std::vector<ProgramFile> loaded = files_recorded_in(folder.path() / "study/apmt-app.p1.r1");
  ASSERT_EQ(loaded.size(), 1u) << "neither the system's libraries nor ours";
  EXPECT_EQ(loaded[0].path, fs::canonical(folder.path() / "app"));

  folder.run("echo '# another script' >>start.sh");
  for (const std::string plan : {"", "--dry-run "}) {
    const Output stale = folder.run(campaign + plan + command);
    EXPECT_EQ(stale.exit_code, 2) << stale.err;
    EXPECT_THAT(stale.err, HasSubstr("apmt-app.p1.r1 and 1 other run: recorded before this file "
                                     "changed: " +
                                     (folder.path() / "start.sh").string()));
    EXPECT_THAT(stale.err, HasSubstr("--keep-old"));
  }
  const Output kept = folder.run(campaign + "--keep-old " + command);
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_THAT(kept.err, HasSubstr("--keep-old holds for this call only"));
  EXPECT_EQ(written(), first);
  EXPECT_EQ(folder.run(campaign + "--force " + command).exit_code, 0);
  EXPECT_NE(written(), first);
  EXPECT_EQ(folder.run(campaign + command).exit_code, 0);

  folder.run("cp " APMT_COMMAND " app");
  const Output rebuilt = folder.run(campaign + command);
  EXPECT_EQ(rebuilt.exit_code, 2) << "the recordings name it, although the command does not";
  EXPECT_THAT(rebuilt.err, HasSubstr("/app (build id "));
}

TEST(Campaign, AProgramForEachPointIsNoRebuild) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  // Each process count has its own program: the same source, linked with a different build id.
  for (const std::string procs : {"1", "2"}) {
    const Output built = folder.run("mkdir " + procs + " && mpicc.openmpi -Wl,--build-id=0x0" +
                                    procs + " -xc - -o " + procs + "/app <<'END'\n" +
                                    "#include <mpi.h>\nint main(int c, char** v) {\n"
                                    "  MPI_Init(&c, &v);\n  return MPI_Finalize();\n}\nEND");
    if (built.exit_code != 0) GTEST_SKIP() << "no compiler: " << built.err;
  }
  const std::string campaign =
      "apmt run --procs 1,2 --reps 1 -d study -- " + openmpi().run + " {p} {p}/app";
  ASSERT_EQ(folder.run(campaign).exit_code, 0);
  EXPECT_EQ(entries(folder.path() / "study").size(), 2u);
  const Output again = folder.run(campaign);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  folder.run("cp 1/app 2/app");
  const Output rebuilt = folder.run(campaign);
  EXPECT_EQ(rebuilt.exit_code, 2);
  EXPECT_THAT(rebuilt.err, HasSubstr("apmt-app.p2.r1: recorded before this file changed"));
}

TEST(Campaign, ARankThatWasStalledIsNamed) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  const Folder folder;
  // In the first repetition, rank 1 sleeps for a second.
  const Output built = folder.run(R"(touch stall && mpicc.openmpi -xc - -o app <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0;
  for (const double begin = MPI_Wtime(); MPI_Wtime() < begin + 0.3;) sum += 1 / (1 + sum);
  if (rank == 1 && unlink("stall") == 0) sleep(1);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize() || sum < 0;
}
END)");
  if (built.exit_code != 0) GTEST_SKIP() << "no compiler: " << built.err;
  const Output output =
      folder.run("apmt run --procs 2 --reps 3 -- " + openmpi().run + " {p} ./app");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  // Rank 1 is off the CPU for at least a second, and longer if other programs use the cores, too.
  EXPECT_THAT(output.err, ::testing::ContainsRegex(
                              "P = 2, repetition 1: rank 1 was off the CPU for [1-9][0-9.]* s"));
  EXPECT_THAT(folder.run("apmt info").out, HasSubstr("repetition 1: rank 1 was off the CPU"));
}

// The file that is found at a path may differ from the one that the program loaded from there, for
// example when the program ran in a container. Such a file must not count as a rebuilt program.
TEST(Campaign, AFileThatIsNotTheOneThatWasLoadedIsNotCompared) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  if (folder.run("mpirun --version").out.find("Open MPI") == std::string::npos)
    GTEST_SKIP() << "mpirun, which a script is taken to use, is not Open MPI's";
  folder.run("cp " APMT_COMMAND " app && printf 'cp " + openmpi().examples + "/halo2d app; " +
             openmpi().run + " $1 ./app 60 10; cp " APMT_COMMAND " app\n' >start.sh");
  const std::string campaign = "apmt run --procs 1 --reps 2 -d study -- sh start.sh {p}";
  const Output first = folder.run(campaign);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const std::string sentence = "/app is not the file of that name that the program loaded";
  const std::size_t at = first.err.find(sentence);
  ASSERT_NE(at, std::string::npos) << first.err;
  EXPECT_EQ(first.err.find(sentence, at + 1), std::string::npos) << "once";
  EXPECT_EQ(folder.run(campaign).exit_code, 0) << "it is not taken for a rebuilt program";
}

TEST(Campaign, EveryRunReadsTheSameInput) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  if (folder.run("mpirun --version").out.find("Open MPI") == std::string::npos)
    GTEST_SKIP() << "mpirun, which a script is taken to use, is not Open MPI's";
  const Output output = folder.run(
      "printf '300 60\\n' >input && cat >start.sh <<'END'\n"
      "read -r n k\nexec " +
      openmpi().run + " \"$1\" " + openmpi().examples +
      "/halo2d \"$n\" \"$k\"\nEND\n"
      "apmt run --procs 1 --reps 3 -d study -- sh start.sh {p} <input");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(entries(folder.path() / "study").size(), 3u);
  folder.only("study", "apmt-halo2d.p1.r3");
}

}  // namespace
}  // namespace apmt::testing
