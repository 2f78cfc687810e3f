// Tests virtual clusters, on which all ranks are in one process: each rank must be recorded by
// itself. Programs with planted times (planted.c) must be predicted at 64 times the largest
// profiled process count, within 1 % of their exact time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/inject/command.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;

std::string program(const std::string& name) { return std::string(APMT_PROGRAMS "/") + name; }

std::uint64_t calls_of(const Json& profile, const std::string& op) {
  std::uint64_t calls = 0;
  for (const Json& row : profile.at("mpi"))
    if (row.at("op") == op) calls += row.at("calls").get<std::uint64_t>();
  return calls;
}

TEST(VirtualCluster, EveryRankOfOneProcessIsRecordedByItself) {
  const Folder folder;
  const Output run = folder.run(
      "apmt run --virtual ethernet-10g --procs 4 --reps 1 -- " APMT_EXAMPLES "/smpi/halo2d 801 20");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the runs at P = 4 are too short to say much"));
  const Json profile = folder.json("apmt info --json apmt-halo2d/apmt-halo2d.p4.r1");
  EXPECT_EQ(profile.at("config").at("procs"), 4);
  EXPECT_EQ(profile.at("config").at("nodes"), 4);
  EXPECT_TRUE(profile.at("config").at("virtual").get<bool>());
  EXPECT_FALSE(profile.at("config").at("oversubscribed").get<bool>());
  EXPECT_EQ(profile.at("health").at("ranks_present"), 4);
  EXPECT_EQ(profile.at("health").at("ranks_cut_off"), 0);
  // examples/halo2d/README.md: 2 x 2 blocks, 20 iterations.
  EXPECT_EQ(calls_of(profile, "MPI_Isend"), 160U);
  EXPECT_EQ(calls_of(profile, "MPI_Waitall"), 80U);
  std::uint64_t sent = 0;
  for (const Json& peer : profile.at("peers")) sent += peer.at("bytes").get<std::uint64_t>();
  EXPECT_EQ(sent, 16U * 20 * 801 * 2);
}

/// Each rank has its own counters, although callgrind sees only one process. SMPI loads a copy of
/// the program for each rank, and callgrind reports the functions by the names of these copies. If
/// the program is started through a symbolic link, as here, the copies are named after the link.
TEST(VirtualCluster, CountersAreSimulatedRankByRank) {
  const Folder folder;
  if (folder.run("valgrind --version").exit_code != 0) GTEST_SKIP() << "valgrind is not installed";
  std::filesystem::create_symlink(program("by_rank"), folder.path() / "linked");
  const Output run =
      folder.run("apmt run --virtual ethernet-10g --procs 3 --reps 1 -d e -- ./linked");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Output rounds = folder.run("apmt simulate e --sample-iterations 5");
  EXPECT_EQ(rounds.exit_code, 2);
  EXPECT_THAT(rounds.err, HasSubstr("take turns in one process"));
  const Output simulated = folder.run("apmt simulate e");
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_THAT(simulated.err, HasSubstr("simulating the whole run on 3 ranks"));
  const Json profile = folder.json("apmt info --json e/apmt-by_rank.p3.r1");
  EXPECT_EQ(profile.at("grade"), "B");
  Json counters;
  for (const Json& kernel : profile.at("kernels"))
    if (kernel.at("name") == "work") counters = kernel.at("counters");
  ASSERT_TRUE(counters.contains("instructions"));
  EXPECT_EQ(counters.at("instructions").at("provenance"), "simulated");
  constexpr double kStepsOfRank0 = 10 * 400000;
  constexpr double kFewest = 3, kMost = 8;  // instructions per step
  const Json samples = counters.at("instructions").at("samples");
  const double of_rank_0 = samples.at(0);
  EXPECT_GE(of_rank_0, kFewest * kStepsOfRank0);
  EXPECT_LE(of_rank_0, kMost * kStepsOfRank0);
  for (const std::size_t rank : {1u, 2u})
    EXPECT_NEAR(samples.at(rank).get<double>() / of_rank_0, static_cast<double>(rank + 1), 1e-4);
}

/// The simulator sees only the thread on which all ranks run.
TEST(VirtualCluster, ThreadsThatRanksCreateAreWarnedOf) {
  const Folder folder;
  const Output run = folder.run("apmt run --virtual ethernet-10g --procs 2 --reps 1 -d e -- " +
                                program("threads"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("in the runs at P = 2, the ranks created threads (OpenMP?)"));
  const Json profile = folder.json("apmt info --json e/apmt-threads.p2.r1");
  EXPECT_GT(profile.at("health").at("created_threads_s").get<double>(), 0);
  const Output info = folder.run("apmt info e/apmt-threads.p2.r1");
  EXPECT_THAT(info.out, HasSubstr("OMP_NUM_THREADS=1"));
}

/// Each rank needs its own copy of the Fortran library: if all ranks shared one, the second rank
/// could not open the file on the same unit.
TEST(VirtualCluster, FortranRanksReadTheSameFileOnTheSameUnit) {
  if (!std::filesystem::exists(program("same_file"))) GTEST_SKIP() << "no gfortran here";
  const Folder folder;
  std::ofstream(folder.path() / "input.txt") << "10\n20\n30\n";
  const Output run = folder.run("apmt run --virtual ethernet-10g --procs 5 --reps 1 -d e -- " +
                                program("same_file") + " input.txt");
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  for (int rank = 0; rank < 5; ++rank) {
    std::ifstream file(folder.path() / ("rank" + std::to_string(rank) + ".txt"));
    std::stringstream text;
    text << file.rdbuf();
    const std::string r = std::to_string(rank);
    EXPECT_EQ(text.str(), r + " 60\n" + r + " 110\n" + r + " 160\n");
  }
  const Json profile = folder.json("apmt info --json e/apmt-same_file.p5.r1");
  EXPECT_EQ(calls_of(profile, "MPI_Allreduce"), 15U);
  // The profile must attribute samples in a rank's copy of the Fortran library to that library.
  EXPECT_THAT(run.err, ::testing::Not(HasSubstr("no longer exists")));
  bool is_sampled = false;
  for (const Json& kernel : profile.at("kernels")) {
    const std::string name = kernel.at("name");
    EXPECT_EQ(name.find("000000"), std::string::npos) << name;
    EXPECT_NE(name, "[vdso]") << "only the simulator reads the clock here";
    is_sampled = is_sampled || name.starts_with("libgfortran.so");
  }
  EXPECT_TRUE(is_sampled);
  // The copies of the library must be removed afterwards.
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(HasSubstr(".so")));
}

/// SMPI's copies of the Fortran library have the same names in all simulations. Simulations that
/// run at the same time must not disturb each other nevertheless.
TEST(VirtualCluster, FortranProgramsMayBeSimulatedAtTheSameTime) {
  if (!std::filesystem::exists(program("same_file"))) GTEST_SKIP() << "no gfortran here";
  const Folder folder;
  const Output runs = folder.run(
      "export TMPDIR=$PWD; pids=; for i in 1 2 3; do mkdir $i; "
      "(cd $i && printf '10\n20\n30\n' >input.txt && exec apmt -q run --virtual ethernet-10g "
      "--procs 16 --reps 1 -d e -- " +
      program("same_file") +
      " input.txt) & pids=\"$pids $!\"; done; for pid in $pids; do wait $pid; done");
  EXPECT_EQ(runs.exit_code, 0) << runs.out << runs.err;
  for (const char* const i : {"1", "2", "3"}) {
    const auto own = folder.path() / i;
    const Json profile =
        folder.json(std::string("apmt info --json ") + i + "/e/apmt-same_file.p16.r1");
    EXPECT_EQ(profile.at("health").at("ranks_unfinalized"), 0) << "a rank's stop ends only itself";
    std::string seen;
    std::getline(std::ifstream(own / "tmpdir.txt") >> std::ws, seen);
    EXPECT_EQ(seen, folder.path().string()) << "the program must find the user's TMPDIR";
  }
}

/// All ranks are one process, which has only one working directory.
TEST(VirtualCluster, EachRankHasAWorkingDirectoryOfItsOwn) {
  const Folder folder;
  const Output run = folder.run("apmt run --virtual ethernet-10g --procs 4 --reps 1 -d e -- " +
                                program("own_directory"));
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string own = rank == 0 ? "" : "rank" + std::to_string(rank) + "/";
    for (const char* const when : {"begin", "middle", "end"}) {
      int writer = -1;
      std::ifstream(folder.path() / (own + when + std::to_string(rank))) >> writer;
      EXPECT_EQ(writer, rank) << own << when;
    }
  }
}

/// All ranks are one process, which the first rank that calls exit() must not end.
TEST(VirtualCluster, ExitAfterFinalizeEndsOnlyTheRank) {
  const Folder folder;
  const auto command = [](const std::string& experiment) {
    return "apmt run --virtual ethernet-10g --procs 4 --reps 1 -d " + experiment + " -- " +
           program("own_end");
  };
  const Output run = folder.run(command("e"));
  ASSERT_EQ(run.exit_code, 0) << "a destructor may call MPI\n" << run.out << run.err;
  const Json profile = folder.json("apmt info --json e/apmt-own_end.p4.r1");
  EXPECT_EQ(profile.at("health").at("ranks_unfinalized"), 0);
  const Json& wall_s = profile.at("times").at("wall_s");
  ASSERT_EQ(wall_s.size(), 4U);
  for (int rank = 0; rank < 4; ++rank) EXPECT_GE(wall_s.at(rank), 1e-3 * rank);
  const Output failed = folder.run(command("f") + " 7");
  EXPECT_THAT(failed.err, HasSubstr("ended with exit code 7"));
}

TEST(VirtualCluster, WhatSmpirunCannotRunIsRefusedBeforeAnythingIsWritten) {
  const Folder folder;
  const auto refused = [&](const std::string& command) {
    const Output run = folder.run("apmt run --virtual ethernet-10g --procs 2 " + command);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_TRUE(folder.contents().empty()) << command;
    return run.err;
  };
  const std::string serial = program("planted") + " serial";
  EXPECT_THAT(refused("-d e -- mpirun -np {p} " + serial),
              HasSubstr("needs no launcher: apmt starts the ranks"));
  EXPECT_THAT(refused("-d 'an e' -- " + serial), HasSubstr("a folder with a blank in its path"));
  EXPECT_THAT(refused("-d e -- " + serial + " 'a b'"), HasSubstr("the argument 'a b'"));
}

TEST(VirtualCluster, AProgramOfAnotherMpiIsRefusedBeforeItRuns) {
  const Folder folder;
  const std::string run = "apmt run --virtual ethernet-10g --procs 2 -- ";
  const Output serial = folder.run(run + APMT_COMMAND);
  EXPECT_EQ(serial.exit_code, 2);
  EXPECT_THAT(serial.err, HasSubstr("is not linked to SMPI"));
  EXPECT_THAT(serial.err, HasSubstr("smpicc"));
  const Output missing = folder.run(run + "no-such-program");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("no-such-program: no such program"));
}

class Planted : public ::testing::TestWithParam<const char*> {
 protected:
  std::string campaign(const std::string& dir, const std::string& procs) const {
    return std::string("apmt run --virtual " APMT_PLANTED " --reps 1 -d ") + dir + " --procs " +
           procs + " -- " + program("planted") + " " + GetParam();
  }
  Folder folder_;
};

TEST_P(Planted, PredictedAt64TimesWithinOnePercent) {
  const Output small = folder_.run(campaign("small", "2,3,4"));
  ASSERT_EQ(small.exit_code, 0) << small.err;
  const Output large = folder_.run(campaign("large", "256"));
  ASSERT_EQ(large.exit_code, 0) << large.err;
  const Json prediction = folder_.json("apmt predict small --procs 256 --json");
  const Json truth = folder_.json("apmt info --json large/apmt-planted.p256.r1");
  double exact_s = 0;
  for (const Json& s : truth.at("times").at("wall_s")) exact_s = std::max(exact_s, s.get<double>());
  ASSERT_GT(exact_s, 0);
  EXPECT_NEAR(prediction.at("time_s").get<double>() / exact_s, 1, 0.01);
  EXPECT_LE(prediction.at("low_s").get<double>(), exact_s * (1 + 1e-6));
  EXPECT_GE(prediction.at("high_s").get<double>(), exact_s * (1 - 1e-6));
  const Output validated = folder_.run("apmt validate large --model small --max-error 0.01");
  EXPECT_EQ(validated.exit_code, 0) << validated.out;
  EXPECT_THAT(validated.out, HasSubstr("At 256 processes"));
}

/// In a simulation in which instructions take no time, there are no samples. So there is no
/// function whose instructions could be counted.
TEST(VirtualCluster, ARunWithoutSamplesIsNotSimulated) {
  const Folder folder;
  ASSERT_EQ(folder
                .run("apmt run --virtual " APMT_PLANTED " --reps 1 -d e --procs 2 -- " +
                     program("planted") + " ring")
                .exit_code,
            0);
  const Output simulated = folder.run("apmt simulate e");
  EXPECT_EQ(simulated.exit_code, 3);
  EXPECT_THAT(simulated.err, HasSubstr("no sample fell into a function"));
}

INSTANTIATE_TEST_SUITE_P(Laws, Planted,
                         ::testing::Values("halo", "tree", "ring", "all-to-all", "serial"),
                         [](const auto& law) {
                           std::string name = law.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace apmt::testing
