// apmt refine --target-error on a virtual cluster, with a program whose time is planted: beyond
// eight processes it takes what the first runs do not show.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/atomic_file.h"
#include "tests/inject/command.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kTarget = 0.1;

class LoopOnAVirtualCluster : public ::testing::Test {
 protected:
  void SetUp() override {
    const Output output = folder_.run("apmt run --procs 2,4,8,16 --reps 1" + kRest);
    ASSERT_EQ(output.exit_code, 0) << output.err;
  }
  Output refine(const std::string& before = "") const {
    return folder_.run(
        before + "apmt refine --target-error 10% --budget 10 --at 128 --reps 2 --json" + kRest);
  }
  int runs_at(int procs) const {
    const std::string prefix = "apmt-planted.p" + std::to_string(procs) + ".";
    const fs::directory_iterator all(folder_.path() / "apmt-planted");
    return static_cast<int>(std::count_if(begin(all), end(all), [&](const auto& entry) {
      return entry.path().filename().string().starts_with(prefix);
    }));
  }

  const std::string kRest = " --virtual " APMT_PLANTED " -- " APMT_PROGRAMS "/planted bend";
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
  // The model on disk is the refined one, and right where nothing was run.
  ASSERT_EQ(folder_.run("apmt run --procs 128 --reps 1 -d large" + kRest).exit_code, 0);
  const Output validated = folder_.run("apmt validate large --model apmt-planted --max-error 0.1");
  EXPECT_EQ(validated.exit_code, 0) << validated.out;
}

TEST_F(LoopOnAVirtualCluster, AStepThatWasCutShortIsFinishedFirst) {
  // A simulator that fails from its second run on.
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
  EXPECT_THAT(later.err, HasSubstr("what was interrupted"));
  EXPECT_EQ(runs_at(procs), 2) << "as one that was never interrupted makes";
  EXPECT_THAT(read_whole_file(folder_.path() / "apmt-planted/refine.json"), Not(HasSubstr("step")));
}

TEST(LoopWithAProgramForEachCount, ProposesCountsThatHaveOne) {
  const Folder folder;
  for (const char* procs : {"2", "4", "8", "64"})
    fs::copy_file(APMT_PROGRAMS "/planted", folder.path() / (std::string("app.") + procs));
  const Output output =
      folder.run("apmt run --procs 2,4,8 --reps 1 --virtual " APMT_PLANTED " -- ./app.{p} serial");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  // Another experiment, which is newer.
  ASSERT_EQ(folder.run("mkdir -p apmt-other; cp -r apmt-app/apmt-app.2.p2.r1 apmt-other").exit_code,
            0);
  const Json plan = folder.json("apmt refine --plan --at 128 --json -- ./app.{p} serial");
  std::set<int> proposed;
  for (const Json& run : plan.at("runs")) proposed.insert(run.at("procs").get<int>());
  EXPECT_EQ(proposed, (std::set<int>{2, 4, 8, 64}));
}

}  // namespace
}  // namespace apmt::testing
