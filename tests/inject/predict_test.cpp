// Tests all steps from runs to a prediction, with the commands and files that a user has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "command.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;

/// One small campaign, recorded once for all tests of this file.
class Predict : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!openmpi().present()) return;
    folder_ = new Folder;
    for (const char* ranks : {"1", "2", "4"}) {
      const Output output = folder_->run(
          "apmt record " + openmpi().run + " " + ranks + " " + openmpi().examples +
          "/halo2d 1000 300");  // enough samples of each kernel, also on a fast machine
      ASSERT_EQ(output.exit_code, 0) << output.err;
    }
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  void SetUp() override {
    if (folder_ == nullptr) GTEST_SKIP() << openmpi().missing();
  }
  static Folder* folder_;
};
Folder* Predict::folder_ = nullptr;

TEST_F(Predict, TheJsonHasWhatOthersRelyOn) {
  const Json list = folder_->json("apmt predict --procs 16,64 --json");
  ASSERT_TRUE(list.is_array());
  ASSERT_EQ(list.size(), 2u);
  for (const Json& p : list) {
    for (const char* key :
         {"procs", "time_s", "low_s", "high_s", "confidence", "extrapolation_factor", "grade",
          "bound", "parts", "kernels", "backtest", "warnings"})
      EXPECT_TRUE(p.contains(key)) << key;
    for (const char* part :
         {"comp_s", "mem_s", "comm_p2p_s", "comm_coll_s", "comm_wait_s", "start_s", "end_s"})
      EXPECT_TRUE(p.at("parts").contains(part)) << part;
    EXPECT_TRUE(p.at("parts").at("mem_s").is_null()) << "unknown at grade C";
    EXPECT_EQ(p.at("grade"), "C");
    EXPECT_EQ(p.at("confidence"), 0.8);
    EXPECT_LE(p.at("low_s"), p.at("time_s"));
    EXPECT_LE(p.at("time_s"), p.at("high_s"));
    EXPECT_GT(p.at("time_s"), 0.0);
    ASSERT_FALSE(p.at("kernels").empty());
    for (const Json& kernel : p.at("kernels"))
      for (const char* key : {"name", "time_s", "low_s", "high_s", "bound"})
        EXPECT_TRUE(kernel.contains(key)) << key;
  }
  EXPECT_EQ(list[0].at("procs"), 16);
  EXPECT_EQ(list[1].at("extrapolation_factor"), 16.0);
  const Json one = folder_->json("apmt predict --procs 64 --json");
  EXPECT_EQ(one, list[1]) << "one count gives the object itself, and the same numbers every time";
}

TEST_F(Predict, FitWritesTheModelThatPredictUses) {
  const Output fit = folder_->run("apmt fit apmt-halo2d -o model.json");
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_THAT(fit.out, HasSubstr("jacobi_sweep"));
  EXPECT_EQ(folder_->json("apmt predict model.json --procs 32 --json"),
            folder_->json("apmt predict apmt-halo2d --procs 32 --json"));
}

TEST_F(Predict, ReportsAreWrittenWhole) {
  ASSERT_EQ(folder_->run("apmt report --html page.html --csv table.csv").exit_code, 0);
  EXPECT_THAT(folder_->run("tail -c 20 page.html").out, HasSubstr("</html>"));
  EXPECT_THAT(folder_->run("head -3 table.csv").out, HasSubstr(","));
  EXPECT_EQ(folder_->run("apmt report --profiled-on archer2").exit_code, 0);  // a name, not a file
  const Output text = folder_->run("apmt report | wc -L");
  EXPECT_LE(std::stoi(text.out), 100) << "columns";
}

TEST_F(Predict, BadInputIsOneClearLineAndItsExitCode) {
  EXPECT_EQ(folder_->run("apmt").exit_code, 2);
  EXPECT_EQ(folder_->run("apmt frobnicate").exit_code, 2);
  EXPECT_EQ(folder_->run("apmt predict --procs 0").exit_code, 2);
  EXPECT_EQ(folder_->run("apmt predict --procs 64 --set n=abc").exit_code, 2);
  EXPECT_EQ(folder_->run("apmt fit no-such-directory").exit_code, 2);
  EXPECT_EQ(folder_->run("mkdir -p empty && cd empty && apmt fit").exit_code, 3);
  const Output damaged = folder_->run(
      "echo '{\"format\": \"apmt-model\"' > damaged.json && apmt predict damaged.json --procs 4");
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_THAT(damaged.err, HasSubstr("damaged.json: not valid JSON"));
  EXPECT_EQ(damaged.out, "");
  const Output newer = folder_->run(
      "echo '{\"format\": \"apmt-model\", \"format_version\": \"99.0\"}' > newer.json && apmt "
      "predict newer.json --procs 4");
  EXPECT_EQ(newer.exit_code, 2);
  EXPECT_THAT(newer.err, HasSubstr("99.0"));
}

TEST_F(Predict, WhatNobodyKnowsIsNamed) {
  EXPECT_THAT(folder_->run("apmt frobnicate").err, HasSubstr("no verb is called frobnicate"));
  EXPECT_THAT(folder_->run("apmt predict --prcs 64").err, HasSubstr("unknown option --prcs"));
  EXPECT_THAT(folder_->run("apmt check --at 8 --max-time nan --zzz").err,
              HasSubstr("unknown option --zzz"));
  EXPECT_THAT(folder_->run("apmt check --at 8 --max-time nan").err,
              HasSubstr("expected a number above 0, found 'nan'"));
  EXPECT_THAT(folder_->run("apmt predict --procs 2.5").err,
              HasSubstr("expected a whole number from 1 to 16777216, found '2.5'"));
  EXPECT_THAT(folder_->run("apmt predict --procs 8 --set n=5").err, HasSubstr("--set name=value"));
}

TEST_F(Predict, AMachineIsAFileOrAName) {
  const Output named = folder_->run("apmt predict --procs 8 --machine archer2");
  EXPECT_EQ(named.exit_code, 0) << named.err;
  const Output wrong = folder_->run("apmt predict --procs 8 --machine no-such");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("no-such: no such machine profile"));
  EXPECT_THAT(wrong.err, HasSubstr("archer2"));
}

TEST_F(Predict, WhatIsMissingIsSaidLikeAllErrors) {
  EXPECT_THAT(folder_->run("apmt").err,
              HasSubstr("apmt: error: a verb is missing\napmt: error: hint: apmt --help\n"));
  EXPECT_THAT(folder_->run("apmt diff a").err,
              HasSubstr("apmt: error: 'after' is missing\napmt: error: hint: apmt diff --help\n"));
  EXPECT_THAT(folder_->run("apmt check --at 8 --max-time 1 2>&1 >/dev/null").out,
              HasSubstr("apmt: warning: "))
      << "a check has the warnings of the prediction";
}

TEST_F(Predict, ResultsThatCannotBeWrittenAreNoSuccess) {
  for (const char* command : {"predict --procs 8", "report --json", "fit --json"}) {
    const Output full = folder_->run(std::string("apmt ") + command + " >/dev/full");
    EXPECT_EQ(full.exit_code, 1) << command;
    EXPECT_THAT(full.err, HasSubstr("stdout: cannot be written")) << command;
  }
}

TEST_F(Predict, OneProcessAgainstItselfIsNeitherFasterNorSlower) {
  const Json one = folder_->json("apmt predict --procs 1 --json");
  EXPECT_EQ(one.at("reference_procs"), 1);
  EXPECT_EQ(one.at("speedup"), 1.0);
  EXPECT_EQ(one.at("efficiency"), 1.0);
}

TEST_F(Predict, AFolderThatMayNotBeReadIsSaid) {
  const std::string nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  if (folder_->run(nobody + "sh -c 'command -v apmt'").exit_code != 0)
    GTEST_SKIP() << "needs the right to become another user, who may read what was built";
  for (const char* command : {"fit", "fit .", "predict --procs 4"}) {
    const Output locked = folder_->run(
        "apmt=$(command -v apmt); mkdir -p locked && chmod 111 "
        "locked && cd locked && " +
        nobody + "$apmt " + command);
    EXPECT_EQ(locked.exit_code, 1) << command;
    EXPECT_THAT(locked.err, HasSubstr("Permission denied")) << command;
    EXPECT_THAT(locked.err, HasSubstr("hint: this user lacks the permission")) << command;
  }
}

TEST_F(Predict, EveryVerbHasHelpWithAnExample) {
  const Output help = folder_->run("apmt --help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* verb : {"record", "info", "fit", "predict", "report"}) {
    EXPECT_THAT(help.out, HasSubstr(verb));
    const Output of_verb = folder_->run(std::string("apmt ") + verb + " --help");
    EXPECT_EQ(of_verb.exit_code, 0);
    EXPECT_THAT(of_verb.out, HasSubstr("Example"));
  }
}

TEST_F(Predict, AFailedFitLeavesTheOldModel) {
  ASSERT_EQ(folder_->run("apmt fit apmt-halo2d").exit_code, 0);
  const Output before = folder_->run("md5sum < apmt-halo2d/model.json");
  EXPECT_NE(folder_->run("apmt fit apmt-halo2d --work 'no_such_size*2'").exit_code, 0);
  EXPECT_EQ(folder_->run("md5sum < apmt-halo2d/model.json").out, before.out);
}

}  // namespace
}  // namespace apmt::testing
