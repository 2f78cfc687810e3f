#include "campaign/store/finished_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/temporary_folder.h"
#include "campaign/stage.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// An experiment on disk; each test determines how the ranks of its runs ended.
class RunsThatEnded : public ::testing::Test {
 protected:
  RunProfile two_ranks() const {
    RunProfile profile = synthetic::profile(synthetic::halo_run(2));
    profile.mpi_library = "MPICH";
    profile.health.ranks_expected = profile.health.ranks_present = 2;
    return profile;
  }
  void add(const std::string& name, const RunProfile& profile,
           const std::vector<std::string>& command = {"mpiexec", "-n", "2", "./planted"}) {
    const fs::path run = folder_.path() / ("apmt-" + name);
    fs::create_directories(run);
    write_run_profile(profile, run / "profile.json");
    write_launch_note({command, 1.0, 1}, run);  // the launcher exited with 0
  }
  std::vector<std::string> whole() const {
    std::vector<std::string> names;
    for (const FinishedRun& run : finished_runs(folder_.path()))
      names.push_back(run.dir.filename().string().substr(5));
    return names;
  }
  using Names = std::vector<std::string>;
  TemporaryFolder folder_;
};

TEST_F(RunsThatEnded, WhatWasCutOffIsNotFinishedWhateverTheLauncherSaid) {
  RunProfile profile = two_ranks();
  add("whole", profile);
  profile.health.ranks_cut_off = 1;
  add("cut", profile);
  profile.health.ranks_cut_off = 0;
  profile.health.ranks_aborted = 1;
  add("aborted", profile);
  profile.health.ranks_aborted = 0;
  RunProfile lost = synthetic::profile(synthetic::halo_run(1));
  lost.config.procs = 2;
  lost.health.ranks_present = 1;
  add("lost", lost);
  EXPECT_EQ(whole(), (Names{"whole"}));
}

TEST_F(RunsThatEnded, WithoutFinalizeIsWholeWhereItIsTheHabit) {
  RunProfile profile = two_ranks();
  profile.health.ranks_unfinalized = 2;
  add("a", profile);
  add("b", profile);
  EXPECT_EQ(whole(), (Names{"a", "b"}));
  add("finalized", two_ranks());
  EXPECT_EQ(whole(), (Names{"finalized"}));
}

TEST_F(RunsThatEnded, AProgramWithoutMpiAnswersForItselfWhenNoLauncherStandsBetween) {
  RunProfile profile = two_ranks();
  profile.mpi_library.clear();
  profile.health.ranks_cut_off = 1;  // the program ends with _exit, so its recording looks cut off
  add("by_itself", profile, {"bin/planted", "100"});
  add("launched", profile);
  EXPECT_EQ(whole(), (Names{"by_itself"}));
}

TEST(RelativeError, OfFewerThanTwoIsUnknown) {
  EXPECT_TRUE(std::isinf(relative_error({})));
  EXPECT_TRUE(std::isinf(relative_error({1.0})));
}

TEST(RelativeError, OfTwoIsThatOfTheirMean) {
  // The mean is 10, the standard deviation sqrt(2), the standard error 1.
  EXPECT_NEAR(relative_error({9, 11}), 0.1, 1e-12);
}

TEST(RelativeError, OfManyIsThatOfTheirMedian) {
  // The standard deviation of the values is 1. The standard error of the median of n values is
  // sqrt(pi / 2 / n) times their standard deviation.
  EXPECT_NEAR(relative_error({99, 100, 101}), 0.007236, 1e-6);
}

TEST(RelativeError, ShrinksWithTheSquareRootOfTheNumber) {
  std::vector<double> few;
  std::vector<double> many;
  for (int i = 0; i < 4; ++i) few.push_back(i % 2 == 0 ? 9 : 11);
  for (int i = 0; i < 400; ++i) many.push_back(i % 2 == 0 ? 9 : 11);
  EXPECT_NEAR(relative_error(few) / relative_error(many), 10, 2);
}

}  // namespace
}  // namespace apmt
