// Tests the complete workflow from runs at several core frequencies to a refined model, with real
// recordings, files and commands, on a simulated processor with planted counts
// (processor/planted_papi.cpp).

#include <gmock/gmock.h>

#include <fstream>

#include "refine_fixture.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(Refine, RunsAtOtherFrequenciesGiveWhatWasPlanted) {
  for (const int khz : {1200000, 1800000})
    for (const int procs : {2, 4}) record_at(khz, procs);
  ASSERT_EQ(run("apmt fit").exit_code, 0);
  const Json refined = json("apmt refine --frequency --machine machine.yaml --runs other --json");
  EXPECT_EQ(refined.at("runs"), 7);
  EXPECT_NEAR(refined.at("lowest_hz").get<double>(), 1.2e9, 0.01 * 1.2e9);
  EXPECT_NEAR(refined.at("highest_hz").get<double>(), 2.4e9, 0.01 * 2.4e9);
  expect_planted(refined);
  for (const Json& kernel : refined.at("kernels")) {
    EXPECT_EQ(kernel.at("from"), "frequencies");
    EXPECT_EQ(kernel.at("new_law"), true);
  }
  // The model on disk is now the refined one, which other commands use. It still contains the
  // values of the model before the refinement.
  const Json model =
      parse_json(read_whole_file(folder_.path() / "apmt-two_kernels/model.json"), "model.json");
  for (const Json& kernel : model.at("kernels")) {
    if (kernel.at("role") == "rest") continue;
    EXPECT_EQ(kernel.at("refined").at("from"), "frequencies");
    EXPECT_EQ(kernel.at("split").at("from"), "frequencies");
  }
}

/// A later fit uses the runs that apmt refine --frequency left in the experiment, and leaves out
/// those of another program.
TEST_F(Refine, LaterFitsUseRunsAtOtherFrequencies) {
  for (const int khz : {1200000, 1800000})
    for (const int procs : {2, 4}) record_at(khz, procs);
  const std::filesystem::path dir = folder_.path() / "apmt-two_kernels";
  std::filesystem::rename(folder_.path() / "other", dir / "frequency");
  const auto is_refined = [&] {
    const Json model = parse_json(read_whole_file(dir / "model.json"), "model.json");
    int refined = 0;
    for (const Json& kernel : model.at("kernels"))
      refined += !kernel.at("refined").is_null() && kernel.at("split").at("from") == "frequencies";
    return refined > 0;
  };
  ASSERT_EQ(run("apmt fit --machine machine.yaml").exit_code, 0);
  EXPECT_TRUE(is_refined());
  for (const auto& run : std::filesystem::recursive_directory_iterator(dir / "frequency")) {
    if (run.path().filename() != "profile.json") continue;
    Json profile = parse_json(read_whole_file(run.path()), "profile.json");
    profile["program"] = "another";
    std::ofstream(run.path()) << profile;
  }
  const Output output = run("apmt fit");
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_THAT(output.err, HasSubstr("not used, because it is of another"));
  EXPECT_FALSE(is_refined());
}

TEST_F(Refine, ADryRunReportsAndWritesNothing) {
  for (const int khz : {1200000, 1800000})
    for (const int procs : {2, 4}) record_at(khz, procs);
  ASSERT_EQ(run("apmt fit").exit_code, 0);
  const auto before = folder_.contents();
  expect_planted(
      json("apmt refine --frequency --machine machine.yaml --dry-run --runs other --json"));
  EXPECT_EQ(folder_.contents(), before);
}

TEST_F(Refine, RanksAtDifferentFrequenciesAreToldAndNotUsed) {
  set_khz("policy0", 1200000);
  ASSERT_EQ(run("apmt record -d other " + program(2)).exit_code, 0);
  const Output output = run("apmt refine --frequency --machine machine.yaml --runs other --json");
  EXPECT_EQ(output.exit_code, 3) << output.err;
  const Json kernels = parse_json(output.out, "refine").at("kernels");
  ASSERT_FALSE(kernels.empty());
  for (const Json& kernel : kernels) {
    EXPECT_EQ(kernel.at("verdict"), "turbo moved");
    EXPECT_THAT(kernel.at("why").get<std::string>(), HasSubstr("rank 0 ran at 1.20 GHz"));
  }
}

TEST_F(Refine, ThreadsAtDifferentFrequenciesAreToldAndNotUsed) {
  set_khz("policy0", 1200000);
  ASSERT_EQ(run("apmt record -d other " + program(1) + " 0.3 0 2").exit_code, 0);
  const Output output = run("apmt refine --frequency --machine machine.yaml --runs other --json");
  EXPECT_EQ(output.exit_code, 3) << output.err;
  const Json kernels = parse_json(output.out, "refine").at("kernels");
  ASSERT_FALSE(kernels.empty());
  for (const Json& kernel : kernels) {
    EXPECT_EQ(kernel.at("verdict"), "turbo moved");
    EXPECT_THAT(kernel.at("why").get<std::string>(), HasSubstr("a thread of rank 0 ran at"));
  }
}

TEST_F(Refine, ThreadsAtOneFrequencyTellTogether) {
  for (const int khz : {1200000, 2400000}) {
    for (const char* policy : {"policy0", "policy1"}) set_khz(policy, khz);
    const std::string words = "apmt record -d other/" + std::to_string(khz) + " " + program(1);
    ASSERT_EQ(run(words + " 0.3 0 2").exit_code, 0);
  }
  expect_planted(json("apmt refine --frequency --machine machine.yaml --runs other --json"));
}

TEST_F(Refine, WithoutOtherFrequenciesTheSpreadOfAccessesServesAndIsNamed) {
  for (const int procs : {1, 2, 4})
    ASSERT_EQ(run("apmt record -d spread " + program(procs) + " 0.3 1").exit_code, 0);
  const Output output = run("apmt refine --frequency -d spread --machine machine.yaml");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("spread over P, D"));
  const Json refined = json("apmt refine --frequency -d spread --machine machine.yaml --json");
  for (const Json& kernel : refined.at("kernels")) EXPECT_EQ(kernel.at("from"), "spread");
  expect_planted(refined, 0.03);
}

/// apmt itself sets the frequencies. `hook` is shell code that runs before each start of the
/// program; in it, $apmt is the process id of apmt.
class RefineByItself : public Refine {
 protected:
  Output refine(const std::string& hook) const {
    write_script(folder_.path() / "mpirun.openmpi",
                 "apmt=$(cat " + (folder_.path() / "apmt.pid").string() + ")\n" + hook + "\nexec " +
                     openmpi().run + " \"$@\"");
    return run_to_the_last(
        "apmt refine --frequency --system-root machine --reps 1 --frequencies 1.2,1.8,2.4 "
        "--procs 2 --machine machine.yaml --json -- ./mpirun.openmpi {p} " APMT_PROGRAMS
        "/openmpi/two_kernels");
  }
};

TEST_F(RefineByItself, SetsMeasuresRefinesAndRestores) {
  const Output output = refine(
      "for p in $PLANTED_MACHINE/sys/devices/system/cpu/cpufreq/*; do "
      "cat $p/scaling_m*_freq >>$PLANTED_MACHINE/seen; echo >>$PLANTED_MACHINE/seen; done");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  expect_planted(parse_json(output.out, "refine"));
  EXPECT_EQ(read_whole_file(folder_.path() / "machine/seen"),
            "12000001200000\n12000001200000\n18000001800000\n18000001800000\n"
            "24000002400000\n24000002400000\n");
  expect_untouched();
}

TEST_F(RefineByItself, RestoresWhenTheProgramFails) {
  const Output output = refine("exit 7");
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr("exit code 7"));
  expect_untouched();
}

TEST_F(RefineByItself, RestoresWhenItIsTerminated) {
  EXPECT_EQ(refine("kill -TERM $apmt").exit_code, 128 + 15);
  expect_untouched();
}

TEST_F(RefineByItself, IsRestoredWhenItIsKilled) {
  EXPECT_EQ(refine("kill -KILL $apmt").exit_code, 128 + 9);
  expect_untouched();
}

TEST_F(RefineByItself, WhatCannotBeRestoredIsToldLoudlyAndRestoredLater) {
  const std::string file = policy_file("scaling_max_freq").string();
  const Output output = refine("rm -f " + file + "; mkdir -p " + file);
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr("NOT RESTORED"));
  EXPECT_THAT(output.err, HasSubstr(file));
  fs::remove(file);
  write(file, "1200000");
  const Output later = run("apmt refine --restore --system-root machine");
  EXPECT_EQ(later.exit_code, 0) << later.err;
  EXPECT_THAT(later.err, HasSubstr("restored now"));
  expect_untouched();
}

TEST_F(RefineByItself, JsonIsRefusedWhereThereIsNone) {
  for (const char* what : {"--restore --system-root machine", "--communication -d ."}) {
    const Output output = run(std::string("apmt refine --json ") + what);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr("this refinement prints no JSON"));
  }
}

}  // namespace
}  // namespace apmt::testing
