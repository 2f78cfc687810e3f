// A dry run and a plan write nothing: everything below the working directory is the same
// afterwards, to the byte and to the time of its last change.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/inject/command.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;

const std::string kCluster = " --virtual " APMT_PLANTED " ";
const std::string kProgram = " -- " APMT_PROGRAMS "/planted serial";

/// Runs the command, which must end with this exit code and change nothing.
void expect_unchanged(const Folder& folder, const std::string& command, int exit_code = 0) {
  const auto before = folder.contents();
  const Output output = folder.run(command);
  EXPECT_EQ(output.exit_code, exit_code) << command << "\n" << output.err;
  EXPECT_FALSE(output.out.empty() && output.err.empty()) << command;
  const auto after = folder.contents();
  for (const auto& [path, what] : after) {
    const auto old = before.find(path);
    if (old == before.end())
      ADD_FAILURE() << command << " has made " << path;
    else
      EXPECT_EQ(what, old->second) << command << " has changed " << path;
  }
  for (const auto& [path, what] : before)
    EXPECT_TRUE(after.contains(path)) << command << " has removed " << path;
}

TEST(DryRun, OfACampaignLeavesNothing) {
  const Folder folder;
  const std::vector<std::string> commands = {
      kCluster + "--procs 2,4,8" + kProgram,
      kCluster + "--procs 2,4 --reps 2 --predict 64 -d elsewhere" + kProgram,
      "--procs 2,4 --work 'n*n' --set n=300 --scaling weak -- sh -c true {p} {n}",
      "--procs 2,4 --emit slurm --array -- sh -c true {p}",
      "--procs 2,4 --emit pbs --predict 64 -- sh -c true {p}",
      "--procs 2,4 --emit lsf -- sh -c true {p}",
      "--procs 2,4 --emit flux --setup true --jobs jobs -- sh -c true {p}"};
  for (const std::string& command : commands)
    expect_unchanged(folder, "apmt run --dry-run " + command);
  EXPECT_TRUE(folder.contents().empty());
}

class PlansOfAnExperiment : public ::testing::Test {
 protected:
  void SetUp() override {
    const Output output =
        folder_.run("apmt run --procs 2,4,8 --reps 1" + kCluster + kProgram +
                    " && APMT_DIR=apmt-planted APMT_TARGET=$(readlink -f $(command -v awk)) "
                    "LD_PRELOAD=" APMT_LIBRARIES
                    "/libapmt-serial.so awk 'BEGIN { for (i = 0; i < 1000; ++i) x += i }'");
    ASSERT_EQ(output.exit_code, 0) << output.err;
    folder_.only("apmt-planted", "running-");  // a recording that is not merged
  }
  /// Each command, with a model in the experiment and without.
  void expect_all_unchanged() const {
    for (const char* model : {"rm -f apmt-planted/model.json", kFit}) {
      ASSERT_EQ(folder_.run(model).exit_code, 0);
      for (const auto& [command, exit_code] : kCommands)
        expect_unchanged(folder_, "apmt " + command, exit_code);
    }
  }

  /// Fits copies of the runs in another folder, because a fit in the experiment would merge the
  /// recording that SetUp() leaves there.
  static constexpr const char* kFit =
      "mkdir runs && cp -r apmt-planted/apmt-planted.* runs && apmt fit runs && "
      "mv runs/model.json apmt-planted && rm -r runs";
  const std::string kLoop = "refine --dry-run -d apmt-planted --at 64 --target-error ";
  const std::vector<std::pair<std::string, int>> kCommands = {
      {"run --dry-run --procs 2,4,8,16 --reps 1" + kCluster + kProgram, 0},
      {"run --dry-run --force --procs 2,4,8 --reps 1" + kCluster + kProgram, 0},
      {"refine --plan -d apmt-planted", 0},
      {"refine --plan -d apmt-planted --at 64 --json", 0},
      {"refine --plan --at 64" + kCluster + kProgram, 0},
      {"refine --plan --at 64 -- sh -c true {p} " APMT_PROGRAMS "/planted", 0},
      {"refine --communication --dry-run --at 64 --procs 16,32" + kCluster + kProgram, 0},
      {kLoop + "1000% --budget 10", 0},      // the target is met
      {kLoop + "10 --budget 10", 2},         // perhaps 10 % is meant
      {kLoop + "0.0001% --budget 1e-9", 4},  // no run is within the budget
      {kLoop + "0.0001% --budget 10", 0},    // a run is planned
      {kLoop + "0.0001% --budget 10" + kCluster + kProgram, 0},
      {"refine --frequency --dry-run -d apmt-planted", 3},  // no runs at other frequencies
      {"refine --frequency --dry-run --manual -d apmt-planted" + kProgram + " {p}", 0}};
  const Folder folder_;
};

// One test, because it needs one experiment only.
TEST_F(PlansOfAnExperiment, ChangeNothingInItAndAPredictionMergesWhatTheyDoNotUse) {
  expect_all_unchanged();
  for (const char* change : {"true", "rm apmt-planted/model.json"}) {
    ASSERT_EQ(folder_.run(change).exit_code, 0);
    const Output plan = folder_.run("apmt refine --plan -d apmt-planted");
    EXPECT_THAT(plan.err, HasSubstr("has recordings that are not merged and not used here"));
  }
  ASSERT_EQ(folder_.run(kFit).exit_code, 0);
  folder_.run("apmt predict apmt-planted --procs 64");  // merges, although there is a model
  ASSERT_EQ(folder_.run("rm -r apmt-planted/apmt-*awk*").exit_code, 0);
  EXPECT_EQ(folder_.run("apmt refine --plan -d apmt-planted").err, "");
}

TEST(DryRun, RestoringHasNone) {
  const Folder folder;
  EXPECT_EQ(folder.run("apmt refine --restore --dry-run").exit_code, 2);
}

}  // namespace
}  // namespace apmt::testing
