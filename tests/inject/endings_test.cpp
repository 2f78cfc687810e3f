// Tests that a run loses nothing that was recorded, in whichever way it ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <ostream>

#include "base/atomic_file.h"
#include "command.h"
#include "diaries.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;

using format::Ending;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// What ends the ranks.
enum class By {
  kThemselves,  // each rank ends by itself
  kLauncher,    // rank 0 ends by itself; the launcher then ends the others
  kChance,      // when MPICH's launcher sees one rank end without MPI_Finalize, it closes
                // its connections to the others; whether a rank survives this is chance
};

struct Way {
  const Mpi* mpi;
  std::string how;   // argument of diary.c
  std::string name;  // name of the test
  Ending of_rank_0;
  By by;
  /// The signal that ends rank 0. If two ranks die of different signals at the same time, MPICH's
  /// mpiexec may exit with either: it takes the signal of the rank whose death it notices first.
  /// Each way of ending was tried 40 times without the recorder and 40 times with it. In one of
  /// these runs, mpiexec exited with the SIGTERM that ended the other rank; in all others, it
  /// exited with the signal of rank 0.
  int signal = 0;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.mpi->name << ' ' << way.how; }

class Endings : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (!GetParam().mpi->present()) GTEST_SKIP() << GetParam().mpi->missing();
    fs::create_directories(folder_.path() / "diaries");
  }
  std::string program(const std::string& how) const {
    fs::create_directories(folder_.path() / how);
    return GetParam().mpi->run + " 2 " APMT_PROGRAMS "/" + GetParam().mpi->name + "/diary '" +
           (folder_.path() / how).string() + "' ";
  }
  Folder folder_;
};

TEST_P(Endings, NothingIsLost) {
  const Way& way = GetParam();
  const Output alone = folder_.run(program("alone") + way.how);
  const Output recorded = folder_.run("apmt record -d experiment " + program("diaries") + way.how);
  if (way.by != By::kChance) {
    if (way.mpi == &mpich() && way.of_rank_0 == Ending::kOpen)
      for (const int code : {alone.exit_code, recorded.exit_code})
        EXPECT_THAT(code, AnyOf(way.signal, SIGTERM)) << recorded.err;
    else
      EXPECT_EQ(recorded.exit_code, alone.exit_code) << recorded.err;
  }
  if (way.by == By::kThemselves) {  // in the other ways the output contains process ids
    EXPECT_EQ(recorded.out, alone.out);
  }
  const auto diaries = diaries_in(folder_.path() / "diaries");
  ASSERT_EQ(diaries.size(), 2u);
  const auto recordings = recordings_below(folder_.path() / "experiment");
  ASSERT_EQ(recordings.size(), 2u);
  for (const auto& [pid, raw] : recordings) {
    expect_nothing_lost(raw, diaries.at(pid));
    if (way.by == By::kThemselves || (way.by == By::kLauncher && raw.header.world_rank == 0)) {
      EXPECT_EQ(raw.header.ending, way.of_rank_0) << "rank " << raw.header.world_rank;
    }
  }
  const Json health = folder_.json("apmt info --json experiment/apmt-diary.p2.r1").at("health");
  EXPECT_EQ(health.at("ranks_present"), 2);
  EXPECT_EQ(health.at("ranks_aborted"), way.of_rank_0 == Ending::kAbortCalled ? 1 : 0);
  if (way.by != By::kChance) {
    EXPECT_EQ(health.at("ranks_cut_off") >= 1,
              way.of_rank_0 == Ending::kOpen || way.by == By::kLauncher);
  }
}

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const Mpi* mpi : {&openmpi(), &mpich()}) {
    const By unfinalized = mpi == &mpich() ? By::kChance : By::kThemselves;
    all.push_back({mpi, "finalize", "finalize", Ending::kExited, By::kThemselves});
    all.push_back({mpi, "exit", "exit", Ending::kExited, unfinalized});
    all.push_back({mpi, "_exit", "exit_at_once", Ending::kOpen, unfinalized});
    all.push_back({mpi, "abort", "abort", Ending::kOpen, By::kLauncher, SIGABRT});
    all.push_back({mpi, "segv", "segv", Ending::kOpen, By::kLauncher, SIGSEGV});
    all.push_back({mpi, "mpi_abort", "mpi_abort", Ending::kAbortCalled, By::kLauncher});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Each, Endings, ::testing::ValuesIn(ways()), [](const auto& way) {
  return way.param.mpi->name + "_" + way.param.name;
});

/// Two ranks that run until they are ended, so that a test can examine their unfinished recordings.
class Unfinished : public ::testing::TestWithParam<const Mpi*> {
 protected:
  void SetUp() override {
    if (!GetParam()->present()) GTEST_SKIP() << GetParam()->missing();
    fs::create_directories(diaries_);
  }
  std::string record(const char* how) const {
    return "cd '" + folder_.path().string() + "' && exec '" APMT_COMMAND "' record -d experiment " +
           GetParam()->run + " 2 " APMT_PROGRAMS "/" + GetParam()->name + "/diary diaries " + how +
           " >out 2>err </dev/null";
  }
  /// Waits until both ranks have done some rounds.
  std::map<pid_t, diary> wait_for_rounds(Started* run) const {
    for (;;) {
      auto diaries = diaries_in(diaries_);
      std::size_t at_work = 0;
      for (const auto& [pid, truth] : diaries) at_work += truth.returned > 50;
      if (at_work == 2 || run->ended()) return diaries;
      ::usleep(1000);
    }
  }
  Folder folder_;
  fs::path diaries_ = folder_.path() / "diaries";
};

TEST_P(Unfinished, ALiveRunIsReadable) {
  Started run(record("stay"));
  const auto before = wait_for_rounds(&run);
  ASSERT_EQ(before.size(), 2u);
  const std::string running = folder_.only("experiment", "running-").string();
  const Json live = folder_.json("apmt info --json " + running);
  EXPECT_EQ(live.at("health").at("ranks_present"), 2);
  EXPECT_EQ(live.at("health").at("ranks_cut_off"), 2) << "not ended yet";
  EXPECT_EQ(live.at("health").at("ranks_running"), 2);
  EXPECT_GT(live.at("times").at("main_cpu_s").at(0).get<double>(), 0.0)
      << "the CPU time so far is known";
  std::uint64_t calls = 0;
  for (const Json& row : live.at("mpi")) calls += row.at("calls").get<std::uint64_t>();
  EXPECT_GE(calls, before.begin()->second.returned + before.rbegin()->second.returned);
  const Output each =
      folder_.run("for f in " + running + "/rank-*.apmt; do apmt info $f || exit; done");
  EXPECT_EQ(each.exit_code, 0) << each.err;
  EXPECT_THAT(each.out, HasSubstr("one rank was still running"));
  EXPECT_THAT(each.out, Not(HasSubstr("ended abnormally")));
  const std::string merge = "cp -r experiment copy; apmt merge copy ";
  const Output left = folder_.run(merge);
  EXPECT_EQ(left.exit_code, 1);
  EXPECT_THAT(left.err, HasSubstr("not merged, it may still be running"));
  EXPECT_EQ(folder_.run(merge + "--as-is").exit_code, 0);
  EXPECT_EQ(folder_.json("apmt info --json copy/apmt-diary.p2.r1").at("health").at("ranks_cut_off"),
            2);
  for (const auto& [pid, truth] : before) ::kill(pid, SIGKILL);
  EXPECT_NE(run.exit_code(), 0) << "the command's failure is passed on";
  folder_.only("experiment", "apmt-diary.p2.r1");
}

TEST_P(Unfinished, ABatchTimeLimitLeavesAReadableRun) {
  Started run(record("stay_deaf"));
  const auto before = wait_for_rounds(&run);
  ASSERT_EQ(before.size(), 2u);
  // Sends SIGTERM to every process, and later SIGKILL, as a batch system does.
  for (const auto& [pid, truth] : before) ::kill(pid, SIGTERM);
  for (const auto& [pid, truth] : before) {
    const auto still = diaries_in(diaries_).at(pid).returned;
    while (diaries_in(diaries_).at(pid).returned == still && !run.ended()) ::usleep(1000);
    EXPECT_FALSE(run.ended()) << "a program that ignores SIGTERM does so when recorded, too";
  }
  ::kill(-run.pid(), SIGKILL);
  for (const auto& [pid, truth] : before) ::kill(pid, SIGKILL);
  run.exit_code();
  const auto recordings = recordings_below(folder_.path() / "experiment");
  ASSERT_EQ(recordings.size(), 2u);
  const auto diaries = diaries_in(diaries_);
  for (const auto& [pid, raw] : recordings) {
    EXPECT_EQ(raw.header.ending, Ending::kOpen);
    expect_nothing_lost(raw, diaries.at(pid));
  }
  // The next command merges what the killed apmt could not merge. A rank may take a moment to end,
  // so the command is repeated until all have ended.
  Output info;
  do info = folder_.run("apmt info experiment");
  while (info.err.find("may still be running") != std::string::npos);
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(
      folder_.json("apmt info --json experiment/apmt-diary.p2.r1").at("health").at("ranks_cut_off"),
      2);
}

TEST_P(Unfinished, SignalsToTheRecorderReachTheRanksAndWhatTheyLeftIsMerged) {
  Started run(record("stay"));
  const auto before = wait_for_rounds(&run);
  ASSERT_EQ(before.size(), 2u);
  ::kill(run.pid(), SIGTERM);
  run.exit_code();  // the launcher's exit code, which is 0 with MPICH
  const auto diaries = diaries_in(diaries_);
  for (const auto& [pid, raw] : recordings_below(folder_.path() / "experiment"))
    expect_nothing_lost(raw, diaries.at(pid));
  EXPECT_EQ(
      folder_.json("apmt info --json experiment/apmt-diary.p2.r1").at("health").at("ranks_cut_off"),
      2);
  EXPECT_THAT(read_whole_file(folder_.path() / "err"), HasSubstr("2 of 2 ranks were cut off"));
}

/// The only child of a process.
pid_t child_of(pid_t pid) {
  const std::string number = std::to_string(pid);
  std::ifstream children("/proc/" + number + "/task/" + number + "/children");
  pid_t child = -1;
  children >> child;
  EXPECT_GT(child, 0);
  return child;
}

/// A signal cuts off a run of a campaign. It is sent to apmt, to the launcher, or to both, as
/// terminals and batch systems do.
TEST_P(Unfinished, NoRunOfACampaignIsFinishedThatWasCutOff) {
  enum class To { kUs, kLauncher, kBoth };
  for (const auto& [to, number] : {std::pair(To::kUs, SIGTERM),
                                   {To::kUs, SIGINT},
                                   {To::kLauncher, SIGTERM},
                                   {To::kBoth, SIGINT},
                                   {To::kBoth, SIGTERM}}) {
    fs::remove_all(diaries_);
    fs::create_directories(diaries_);
    Started run("cd '" + folder_.path().string() +
                "' && exec '" APMT_COMMAND "' run --procs 2 --reps 1 -d study -- " +
                GetParam()->run + " {p} " APMT_PROGRAMS "/" + GetParam()->name +
                "/diary diaries stay >out 2>err </dev/null");
    ASSERT_EQ(wait_for_rounds(&run).size(), 2u);
    if (to != To::kUs) ::kill(child_of(run.pid()), number);
    if (to != To::kLauncher) ::kill(run.pid(), number);
    EXPECT_EQ(run.exit_code(), to == To::kLauncher ? 1 : 128 + number) << static_cast<int>(to);
    const Output info = folder_.run("ls -d study/apmt-*");
    EXPECT_EQ(info.out, "") << "MPICH's launcher ends with 0 when it is told to end";
  }
  folder_.only("study", "failed-");
}

INSTANTIATE_TEST_SUITE_P(Each, Unfinished, ::testing::Values(&openmpi(), &mpich()),
                         [](const auto& mpi) { return mpi.param->name; });

}  // namespace
}  // namespace apmt::testing
