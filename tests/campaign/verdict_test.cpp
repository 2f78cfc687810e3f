// Runs apmt check, diff, refine --plan, and the further output formats of info and predict, and
// checks their output and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/atomic_file.h"
#include "command.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;

class Verdicts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new Folder;
    if (!openmpi().present()) return;
    const Output output =
        folder->run("apmt run --procs 1,2 --reps 2 -d study -- " + openmpi().run + " {p} " +
                    openmpi().examples + "/halo2d 300 60 && apmt fit study");
    ASSERT_EQ(output.exit_code, 0) << output.err;
  }
  static void TearDownTestSuite() { delete std::exchange(folder, nullptr); }
  void SetUp() override {
    if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  }
  static inline Folder* folder = nullptr;  // recorded once for all tests
};

TEST_F(Verdicts, CheckEndsWithFourAndTheReason) {
  const Output late = folder->run("apmt check study --at 4 --max-time 0.000001");
  EXPECT_EQ(late.exit_code, 4) << late.err;
  EXPECT_THAT(late.out, HasSubstr("At 4 processes expect"));
  EXPECT_THAT(late.out, HasSubstr("not met"));
  const Output early = folder->run("apmt check study --at 2,4 --max-time 1000000");
  EXPECT_EQ(early.exit_code, 0) << early.out << early.err;
  EXPECT_EQ(folder->run("apmt check study --at 4 --min-efficiency 9").exit_code, 4);
  EXPECT_EQ(folder->run("apmt check study --at 4").exit_code, 2) << "nothing to check";
  const Json list = folder->json("apmt check study --at 4 --max-time 1000000 --json");
  EXPECT_EQ(list.at(0).at("met"), true);
}

TEST_F(Verdicts, DiffFindsAPlantedChangeAndNoneInItself) {
  const Output same = folder->run("apmt diff study study --fail");
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("stands out from the scatter of the repetitions"));
  Json model = parse_json(read_whole_file(folder->path() / "study/model.json"), "model.json");
  for (Json& point : model.at("points")) {
    point["elapsed_s"] = 50.0 * point.at("elapsed_s").get<double>();
    point["rel_sigma"] = 0.001;
  }
  write_file_atomically(folder->path() / "slow.json", format_json(model));
  const Output slower = folder->run("apmt diff slow.json slow.json --fail");
  EXPECT_EQ(slower.exit_code, 0) << slower.err;
  const Json changes = folder->json("apmt diff study slow.json --json");
  EXPECT_EQ(changes.at(0).at("what"), "elapsed");
  EXPECT_NEAR(
      changes.at(0).at("after_s").get<double>() / changes.at(0).at("before_s").get<double>(), 50,
      1e-9);
}

TEST_F(Verdicts, DiffComparesOneProcessCount) {
  folder->run("mkdir one && cp -r study/apmt-halo2d.p2.r* one");
  const Output output = folder->run("apmt diff one one");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("At 2 processes no change of the elapsed time stands out"));
}

TEST_F(Verdicts, RefinePlanTakesADirectoryForTheExperiment) {
  const Output named = folder->run("apmt refine --plan study");
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_EQ(named.out, folder->run("apmt refine --plan -d study").out);
  EXPECT_EQ(folder->run("apmt refine --plan -d study study").exit_code, 2);
}

TEST_F(Verdicts, OtherFormatsOfARun) {
  const Output stacks = folder->run("apmt info --collapsed study/apmt-halo2d.p2.r1");
  EXPECT_EQ(stacks.exit_code, 0) << stacks.err;
  EXPECT_THAT(stacks.out, HasSubstr("halo2d;"));
  const Json speedscope = folder->json("apmt info --speedscope study/apmt-halo2d.p2.r1");
  EXPECT_EQ(speedscope.at("profiles").size(), 1u);
  EXPECT_EQ(folder->run("apmt info --collapsed study").exit_code, 2)
      << "this is an experiment, not a run";
  const Output figures = folder->run("apmt predict study --procs 8 --prometheus");
  EXPECT_THAT(figures.out, HasSubstr("apmt_predicted_seconds{program=\"halo2d\",procs=\"8\"} "));
}

}  // namespace
}  // namespace apmt::testing
