// Tests which experiment is used if the user names none.
#include <gtest/gtest.h>

#include <chrono>

#include "base/temporary_folder.h"
#include "campaign/stage.h"
#include "campaign/store/finished_runs.h"
#include "campaign/store/run_directory.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

class Experiments : public ::testing::Test {
 protected:
  /// Adds an experiment with one run. A larger `age` makes it newer.
  fs::path add(const std::string& name, int age, int exit_code) const {
    const fs::path experiment = folder_.path() / name;
    const fs::path run = experiment / ("apmt-" + name + ".p2.r1");
    fs::create_directories(run);
    write_run_profile(synthetic::profile(synthetic::halo_run(2)), run / "profile.json");
    if (exit_code != 0) write_launch_note({{"./app"}, 0, 0, {}, exit_code}, run);
    fs::last_write_time(experiment, fs::file_time_type() + std::chrono::hours(age));
    return experiment;
  }
  TemporaryFolder folder_;
};

TEST_F(Experiments, TheNewestIsNoneWhoseCommandsFailed) {
  const fs::path failed = add("failed", 3, 1);
  EXPECT_EQ(newest_experiment(folder_.path()), failed) << "there is no other";
  const fs::path good = add("good", 1, 0);
  EXPECT_EQ(newest_experiment(folder_.path()), good);
  const fs::path newer = add("newer", 2, 0);
  EXPECT_EQ(newest_experiment(folder_.path()), newer);
}

TEST_F(Experiments, AllOfAFolderAreListedByName) {
  const fs::path small = add("small", 2, 0);
  const fs::path large = add("large", 3, 0);
  fs::create_directories(folder_.path() / "input");
  EXPECT_EQ(experiments_in(folder_.path()), (std::vector<fs::path>{large, small}));
}

TEST_F(Experiments, ARunWhoseCommandFailedIsNotFinished) {
  add("app", 1, 139);
  EXPECT_TRUE(finished_runs(folder_.path() / "app").empty());
}

}  // namespace
}  // namespace apmt
