// Interrupts a campaign at random moments, by a signal that it can handle or by SIGKILL, and checks
// that no finished run is lost, that no incomplete run gets the name of a complete one, and that
// all runs exist in the end.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "base/atomic_file.h"
#include "command.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kIterations = 60;
constexpr int kReps = 6;
constexpr int kRuns = 2 * kReps;  // repetitions on one process and on two

std::vector<std::string> campaign_command(const std::string& dir) {
  return {APMT_COMMAND,
          "run",
          "--procs",
          "1,2",
          "--reps",
          std::to_string(kReps),
          "-d",
          dir,
          "--",
          "mpirun.openmpi",
          "--oversubscribe",
          "-np",
          "{p}",
          openmpi().examples + "/halo2d",
          "300",
          std::to_string(kIterations)};
}

pid_t start(const fs::path& folder, const std::vector<std::string>& command) {
  const pid_t child = fork();
  if (child != 0) return child;
  const int log = open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (chdir(folder.c_str()) != 0) _exit(126);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(126);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::set<std::string> runs_in(const fs::path& experiment) {
  std::set<std::string> names;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment, absent))
    if (entry.path().filename().string().starts_with("apmt-"))
      names.insert(entry.path().filename().string());
  return names;
}

/// Checks that a run has the complete recording of every rank, with all its MPI_Allreduce calls.
void expect_whole(const fs::path& run) {
  const Json profile = parse_json(read_whole_file(run / "profile.json"), run.string());
  const int procs = profile.at("config").at("procs");
  EXPECT_EQ(profile.at("health").at("ranks_present"), procs) << run;
  EXPECT_EQ(profile.at("health").at("ranks_cut_off"), 0) << run;
  std::uint64_t calls = 0;
  for (const Json& row : profile.at("mpi"))
    if (row.at("op") == "MPI_Allreduce") calls += row.at("calls").get<std::uint64_t>();
  EXPECT_EQ(calls, static_cast<std::uint64_t>((kIterations + 2) * procs)) << run;
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(run))
    files += entry.path().extension() == ".apmt" ? 1 : 0;
  EXPECT_EQ(files, procs) << run;
  EXPECT_TRUE(fs::exists(run / "launch.json")) << run;
}

TEST(InterruptedCampaign, LosesNothingAndLeavesNothingHalf) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  const char* wanted = std::getenv("APMT_INTERRUPTIONS");
  const int interruptions = wanted == nullptr ? 8 : std::atoi(wanted);
  std::mt19937 random(20200615);
  std::uniform_int_distribution<int> milliseconds(0, 2500);
  constexpr std::array<int, 4> kSignals = {SIGKILL, SIGINT, SIGKILL, SIGTERM};
  Folder folder;
  int interrupted = 0;
  for (int campaign = 0; interrupted < interruptions; ++campaign) {
    const std::string dir = "study" + std::to_string(campaign);
    const fs::path experiment = folder.path() / dir;
    std::set<std::string> before;
    for (bool complete = false; !complete;) {
      const int number = kSignals[static_cast<std::size_t>(interrupted) % kSignals.size()];
      const pid_t child = start(folder.path(), campaign_command(dir));
      if (interrupted < interruptions) {
        // The moment is random on purpose; the checks hold at any moment.
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds(random)));
        kill(child, number);
        ++interrupted;
      }
      const int code = wait_for(child);
      complete = code == 0;
      if (!complete) {
        ASSERT_EQ(code, 128 + number) << read_whole_file(folder.path() / "log");
      }
      const std::set<std::string> after = runs_in(experiment);
      for (const std::string& run : before) EXPECT_TRUE(after.contains(run)) << run << " was lost";
      for (const std::string& run : after)
        if (!before.contains(run)) expect_whole(experiment / run);
      before = after;
    }
    EXPECT_EQ(before.size(), kRuns);
    for (const fs::directory_entry& entry : fs::directory_iterator(experiment))
      EXPECT_TRUE(entry.path().filename().string().starts_with("apmt-")) << entry.path();
  }
}

}  // namespace
}  // namespace apmt::testing
