// Tests apmt refine on a virtual cluster. The program's times are planted (planted.c); beyond eight
// processes they follow another law.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include "base/atomic_file.h"
#include "tests/inject/command.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kTarget = 0.1;

const std::string kRest = " --virtual " APMT_PLANTED " -- " APMT_PROGRAMS "/planted bend";

/// The runs are recorded once; each test refines a copy of them.
class LoopOnAVirtualCluster : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    recorded_ = std::make_unique<Folder>();
    const Output output = recorded_->run("apmt run --procs 2,4,8,16 --reps 1" + kRest);
    ASSERT_EQ(output.exit_code, 0) << output.err;
  }
  static void TearDownTestSuite() { recorded_.reset(); }
  void SetUp() override {
    fs::copy(recorded_->path(), folder_.path(), fs::copy_options::recursive);
  }
  /// The slopes of total times wander, so at twice the largest count that may be run, the expected
  /// error would stay at 10 %, however many runs are made. 112 is less than that.
  Output refine(const std::string& before = "") const {
    return folder_.run(
        before +
        "apmt refine --target-error 10% --budget 10 --at 112 --most-procs 64 --reps 2 --json" +
        kRest);
  }
  int runs_at(int procs) const {
    const std::string prefix = "apmt-planted.p" + std::to_string(procs) + ".";
    const fs::directory_iterator all(folder_.path() / "apmt-planted");
    return static_cast<int>(std::count_if(begin(all), end(all), [&](const auto& entry) {
      return entry.path().filename().string().starts_with(prefix);
    }));
  }

  static inline std::unique_ptr<const Folder> recorded_;
  const Folder folder_;
};

TEST_F(LoopOnAVirtualCluster, BringsAMissUnderTheTarget) {
  const Output output = refine();
  ASSERT_EQ(output.exit_code, 0) << output.err << output.out;
  const Json result = parse_json(output.out, "refine");
  EXPECT_EQ(result.at("end"), "target");
  EXPECT_GT(result.at("before").at("backtest_error").get<double>(), kTarget);
  EXPECT_LE(result.at("after").at("backtest_error").get<double>(), kTarget);
  ASSERT_FALSE(result.at("steps").empty());
  for (const Json& step : result.at("steps")) EXPECT_GT(step.at("measured_s").get<double>(), 0);
  // The model on disk is now the refined one; it must be right at a count that was not run before.
  ASSERT_EQ(folder_.run("apmt run --procs 112 --reps 1 -d large" + kRest).exit_code, 0);
  const Output validated = folder_.run("apmt validate large --model apmt-planted --max-error 0.1");
  EXPECT_EQ(validated.exit_code, 0) << validated.out;
}

TEST_F(LoopOnAVirtualCluster, AStepThatWasCutShortIsFinishedFirst) {
  // A stand-in for the simulator, which fails from its second run on.
  fs::create_directory(folder_.path() / "cut");
  write_file_atomically(folder_.path() / "cut/smpirun",
                        "#!/bin/sh\necho >>ran; [ $(wc -l <ran) -lt 2 ] || exit 9\n"
                        "PATH=${PATH#*cut:}; exec smpirun \"$@\"\n");
  fs::permissions(folder_.path() / "cut/smpirun", fs::perms::owner_all);
  const Output cut = refine("PATH=$PWD/cut:$PATH ");
  ASSERT_EQ(cut.exit_code, 1) << cut.err;
  const Json note =
      parse_json(read_whole_file(folder_.path() / "apmt-planted/refine.json"), "refine.json");
  const int procs = note.at("step").at("procs");
  EXPECT_EQ(runs_at(procs), 1) << "one of two repetitions";
  const Output later = refine();
  ASSERT_EQ(later.exit_code, 0) << later.err;
  EXPECT_THAT(later.err, HasSubstr("the interrupted step"));
  EXPECT_EQ(runs_at(procs), 2) << "as many as without an interruption";
  EXPECT_THAT(read_whole_file(folder_.path() / "apmt-planted/refine.json"), Not(HasSubstr("step")));
}

/// Runs at two more process counts: the model is refitted with one of them; the other only measures
/// the error of the model before and after.
TEST(CommunicationRefinement, OneCountRefitsAndTheOtherOnlyValidates) {
  const Folder folder;
  const std::string rest = " --reps 1" + kRest;
  ASSERT_EQ(folder.run("apmt run --procs 2,4,8" + rest + " && apmt fit -o first.json").exit_code,
            0);
  const fs::path experiment = folder.path() / "apmt-planted";
  const std::string refine = "apmt refine --communication --at 128 --procs 32,64";
  ASSERT_EQ(folder.run(refine + " --dry-run" + rest).exit_code, 0);
  EXPECT_FALSE(fs::exists(experiment / "apmt-planted.p32.r1"));
  const Output output = folder.run(refine + rest);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("32 processes to refit with"));
  EXPECT_THAT(output.out, HasSubstr("64 processes to validate with"));
  EXPECT_TRUE(fs::exists(experiment / "apmt-planted.p32.r1"));
  EXPECT_FALSE(fs::exists(experiment / "apmt-planted.p64.r1")) << "it must stay out of models";
  EXPECT_TRUE(fs::exists(experiment / "validation/apmt-planted.p64.r1"));
  const auto error_of = [&](const std::string& model) {
    const Json points =
        folder.json("apmt validate apmt-planted/validation --json --model " + model);
    return std::abs(points.at(0).at("whole").at("error").get<double>());
  };
  EXPECT_GT(error_of("first.json"), 0.5);
  EXPECT_LT(error_of("apmt-planted"), 0.1);
}

TEST(LoopWithAProgramForEachCount, ProposesCountsThatHaveOne) {
  const Folder folder;
  for (const char* procs : {"2", "4", "8", "64"})
    fs::copy_file(APMT_PROGRAMS "/planted", folder.path() / (std::string("app.") + procs));
  const Output output =
      folder.run("apmt run --procs 2,4,8 --reps 1 --virtual " APMT_PLANTED " -- ./app.{p} serial");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  // A newer experiment, which must not be used.
  ASSERT_EQ(folder.run("mkdir -p apmt-other; cp -r apmt-app/apmt-app.2.p2.r1 apmt-other").exit_code,
            0);
  const Json plan = folder.json("apmt refine --plan --at 128 --json -- ./app.{p} serial");
  std::set<int> proposed;
  for (const Json& run : plan.at("runs")) proposed.insert(run.at("procs").get<int>());
  EXPECT_EQ(proposed, (std::set<int>{2, 4, 8, 64}));
  const Output late = folder.run("apmt refine --plan apmt-app --json");
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_THAT(late.err, HasSubstr("--json: stands after the experiment"));
}

}  // namespace
}  // namespace apmt::testing
