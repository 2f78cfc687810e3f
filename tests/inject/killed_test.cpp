// Kills ranks with SIGKILL at random moments, and checks that everything recorded until then is
// there and is reported as cut off.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>

#include "command.h"
#include "diaries.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;

/// Starts four ranks and kills them at a random moment of their first two seconds: all at once, or
/// one at random every millisecond until the launcher, which also ends ranks, has ended. The
/// diaries contain what happened before.
void run_and_kill(const Folder& folder, std::mt19937* random) {
  const fs::path diaries = folder.path() / "diaries";
  fs::create_directories(diaries);
  Started run("exec env LD_PRELOAD='" APMT_LIBRARIES
              "/libapmt-openmpi.so' APMT_QUIET=1 APMT_DIR='" +
              (folder.path() / "experiment").string() + "' " + openmpi().run +
              " 4 " APMT_PROGRAMS "/openmpi/diary '" + diaries.string() +
              "' stay >/dev/null 2>&1 </dev/null");
  while (fs::is_empty(diaries) && !run.ended()) ::usleep(1000);
  // The moment is random on purpose; the checks hold at any moment.
  ::usleep(std::uniform_int_distribution<useconds_t>(0, 1999999)(*random));
  const bool all = std::uniform_int_distribution<int>(0, 3)(*random) != 0;
  // Open MPI's mpirun may hang while it cleans up after killed ranks (in PMIx_server_finalize). The
  // destructor of `run` then ends it.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!run.ended() && std::chrono::steady_clock::now() < patience) {
    const auto written = diaries_in(diaries);
    std::size_t chosen = std::uniform_int_distribution<std::size_t>(0, 3)(*random);
    for (const auto& [pid, truth] : written)
      if (all || chosen-- == 0) ::kill(pid, SIGKILL);
    ::usleep(1000);
  }
}

TEST(Killed, NothingThatWasRecordedIsLost) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  const char* wanted = std::getenv("APMT_TEST_KILLS");
  const int kills = wanted == nullptr ? 10 : std::atoi(wanted);
  std::mt19937 random(20240517);
  int in_main = 0;
  int before_main = 0;
  for (int i = 0; i < kills && !HasFailure(); ++i) {
    SCOPED_TRACE("kill " + std::to_string(i));
    Folder folder;
    run_and_kill(folder, &random);
    const auto diaries = diaries_in(folder.path() / "diaries");
    const auto recordings = recordings_below(folder.path() / "experiment");
    int present = 0;
    for (const auto& [pid, truth] : diaries) {
      ++(truth.in_main != 0 ? in_main : before_main);
      const auto found = recordings.find(pid);
      EXPECT_TRUE(truth.in_main == 0 || found != recordings.end()) << "no recording of " << pid;
      if (found == recordings.end()) continue;
      EXPECT_EQ(found->second.header.ending, format::Ending::kOpen) << "marked as cut off";
      present += found->second.header.world_rank >= 0;
      if (truth.in_main != 0) expect_nothing_lost(found->second, truth);
    }
    if (present == 0) continue;  // killed before any process had become a rank
    Output merged;
    do
      merged = folder.run("apmt info --json experiment");  // the last rank may take a moment to die
    while (merged.err.find("may still be running") != std::string::npos);
    ASSERT_EQ(merged.exit_code, 0) << merged.err;
    const Json runs = parse_json(merged.out, "apmt info");
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].at("health").at("ranks_present"), present);
    EXPECT_EQ(runs[0].at("health").at("ranks_cut_off"), present);
  }
  EXPECT_GT(in_main, 0) << "no rank got as far as its main loop: nothing was tested";
  RecordProperty("ranks_killed_in_main", in_main);
  RecordProperty("ranks_killed_before_main", before_main);
  std::printf("%d kills: %d ranks in their main loop, %d before it\n", kills, in_main, before_main);
}

}  // namespace
}  // namespace apmt::testing
