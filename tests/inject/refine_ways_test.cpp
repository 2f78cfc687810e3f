// Tests `apmt refine --frequency` where srun, cpupower or the user sets the core frequency. A
// stand-in for each sets the frequency of the planted processor, does nothing, refuses, or leaves
// the frequency changed.

#include <gmock/gmock.h>

#include "refine_fixture.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kProgram = APMT_PROGRAMS "/openmpi/two_kernels";
constexpr const char* kRefine =
    "apmt refine --frequency --system-root machine --reps 1 --procs 2 --machine machine.yaml "
    "--json ";

class RefineByOthers : public Refine {
 protected:
  void expect_turbo_moved(const Output& output) const {
    EXPECT_EQ(output.exit_code, 3) << output.err;
    const Json kernels = parse_json(output.out, "refine").at("kernels");
    ASSERT_FALSE(kernels.empty());
    for (const Json& kernel : kernels) {
      EXPECT_EQ(kernel.at("verdict"), "turbo moved");
      EXPECT_EQ(kernel.at("why"), "1.20 GHz was set, 2.40 GHz was measured");
    }
  }
  std::string asked() const {
    const fs::path file = folder_.path() / "machine/asked";
    return fs::exists(file) ? read_whole_file(file) : "";
  }
};

/// What the stand-in for srun does about core frequencies, as shell code. In `sets`, $1 is the
/// requested frequency in kHz; the shell function `put` sets a frequency.
struct Srun {
  std::string sets = "put $1";
  std::string then = ":";  // $apmt is the process id of apmt
  std::string restores = "put 2400000";
};

class RefineBySrun : public RefineByOthers {
 protected:
  Output refine(const Srun& srun) const {
    write_script(folder_.path() / "bin/srun",
                 "exec 9>>$PLANTED_MACHINE/busy; flock 9\n"
                 "echo $* >>$PLANTED_MACHINE/asked\n"
                 "put() { for p in $PLANTED_MACHINE/sys/devices/system/cpu/cpufreq/*; do\n"
                 "  echo $1 >$p/scaling_max_freq; done; }\n"
                 "sets() { " +
                     srun.sets +
                     "; }\n"
                     "restores() { " +
                     srun.restores +
                     "; }\n"
                     "trap 'kill $program; wait $program; restores; exit 143' TERM\n"
                     "apmt=$(cat " +
                     (folder_.path() / "apmt.pid").string() +
                     ")\n"
                     "sets ${1#--cpu-freq=} && " +
                     srun.then + "\n" + openmpi().run +
                     " $3 $4 & program=$!\n"
                     "wait $program; code=$?; restores; exit $code");
    const Output output = run_to_the_last("env PATH=\"$PWD/bin:$PATH\" " + std::string(kRefine) +
                                          "--frequencies 1.2,2.4 -- srun -n {p} " + kProgram);
    run("flock machine/busy true");  // srun may outlive a killed apmt, so wait for it
    return output;
  }
};

TEST_F(RefineBySrun, SetsMeasuresRefinesAndRestores) {
  const Output output = refine({});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("srun --cpu-freq"));
  expect_planted(parse_json(output.out, "refine"));
  EXPECT_EQ(asked(), "--cpu-freq=1200000 -n 2 " + std::string(kProgram) +
                         "\n--cpu-freq=2400000 -n 2 " + kProgram + "\n");
  expect_untouched();
}

TEST_F(RefineBySrun, OneThatSetsNothingIsFoundOut) {
  expect_turbo_moved(refine({.sets = ":", .restores = ":"}));
  expect_untouched();
}

TEST_F(RefineBySrun, WhatItRefusesIsShown) {
  const Output output = refine({.sets = "echo srun: error: Invalid --cpu-freq argument; exit 1"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr("srun: error: Invalid --cpu-freq argument"));
  expect_untouched();
}

TEST_F(RefineBySrun, WithoutItNothingIsRun) {
  const Output output =
      run(std::string(kRefine) + "--frequencies 1.2,2.4 -- ./none/srun -n {p} " + kProgram);
  EXPECT_NE(output.exit_code, 0);
  EXPECT_THAT(output.err, HasSubstr("./none/srun"));
  expect_untouched();
}

TEST_F(RefineBySrun, WhatItLeavesChangedIsToldLoudly) {
  const Output output = refine({.sets = "put 1200000", .restores = ":"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr("NOT RESTORED"));
  EXPECT_THAT(output.err, HasSubstr("policy1/scaling_max_freq is 1200000 and was 2400000"));
}

TEST_F(RefineBySrun, RestoresWhenApmtIsKilledAndTheSameCommandGoesOn) {
  EXPECT_EQ(refine({.then = "[ $1 = --cpu-freq=1200000 ] || kill -KILL $apmt"}).exit_code, 128 + 9);
  expect_untouched();
  const std::string before = asked();
  const Output output = refine({});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  expect_planted(parse_json(output.out, "refine"));
  EXPECT_EQ(asked(), before + "--cpu-freq=2400000 -n 2 " + kProgram + "\n")
      << "a finished run is not repeated";
  expect_untouched();
}

/// The user may not write the files of the frequencies, but the stand-in for cpupower may. The
/// stand-in is shell code; $2 is the CPU, $4 the option and $5 the value; `put` sets the value.
class RefineByCpupower : public RefineByOthers {
 protected:
  void SetUp() override {
    RefineByOthers::SetUp();
    if (IsSkipped()) return;
    if (std::system("setpriv --bounding-set -dac_override true 2>/dev/null") != 0 && is_root())
      GTEST_SKIP() << "root, and setpriv cannot take its rights to write every file";
    if (std::system("command -v cpupower >/dev/null") == 0)
      GTEST_SKIP() << "a real cpupower is installed: it would change this machine";
    for (const char* policy : {"policy0", "policy1"})
      for (const char* name : {"scaling_min_freq", "scaling_max_freq"})
        fs::permissions(folder_.path() / kPolicies / policy / name, fs::perms::owner_read);
  }
  static bool is_root() { return std::system("[ $(id -u) = 0 ]") == 0; }
  void install(const std::string& what) const {
    write_script(
        folder_.path() / "bin/cpupower",
        "echo $* >>$PLANTED_MACHINE/asked\n"
        "put() { f=$PLANTED_MACHINE/sys/devices/system/cpu/cpufreq/policy$2/scaling_${4#--}_freq\n"
        "  echo $5 >$f.new && chmod 400 $f.new && mv -f $f.new $f; }\n" +
            what);
  }
  /// `hook` is shell code that runs before each start of the program; $apmt is the process id of
  /// apmt.
  Output refine(const std::string& hook = "") const {
    write_script(folder_.path() / "mpirun.openmpi",
                 "apmt=$(cat " + (folder_.path() / "apmt.pid").string() + ")\n" + hook + "\nexec " +
                     openmpi().run + " \"$@\"");
    return run_to_the_last(weak() + kRefine + "--frequencies 1.2,2.4 -- ./mpirun.openmpi {p} " +
                           kProgram);
  }
  /// Runs a command without root's right to write read-only files.
  static std::string weak() {
    return std::string("env PATH=\"$PWD/bin:$PATH\" ") +
           (is_root() ? "setpriv --bounding-set -dac_override " : "");
  }
};

TEST_F(RefineByCpupower, SetsMeasuresRefinesAndRestores) {
  install("put $*");
  const Output output = refine();
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("by cpupower"));
  EXPECT_THAT(asked(), HasSubstr("-c 1 frequency-set --max 1200000"));
  expect_planted(parse_json(output.out, "refine"));
  expect_untouched();
}

TEST_F(RefineByCpupower, WithoutItThereIsNoWay) {
  const Output output = refine();
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_THAT(output.err, HasSubstr("this user may not set it"));
  EXPECT_THAT(output.err, HasSubstr("--manual"));
  expect_untouched();
}

TEST_F(RefineByCpupower, RefusedHalfWayEverythingIsAsBefore) {
  install("[ $2$4$5 = 1--max1200000 ] && echo no such luck && exit 1; put $*");
  const Output output = refine();
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr("policy1/scaling_max_freq"));
  EXPECT_THAT(output.err, HasSubstr("no such luck"));
  EXPECT_THAT(asked(), HasSubstr("-c 0 frequency-set --max 1200000"));
  expect_untouched();
}

TEST_F(RefineByCpupower, OneThatSetsNothingIsFoundOut) {
  install(":");
  expect_turbo_moved(refine());
  expect_untouched();
}

TEST_F(RefineByCpupower, WhatItDoesNotRestoreIsToldLoudlyAndRestoredLater) {
  install("[ $2$4$5 = 1--max2400000 ] && exit 1; put $*");
  const Output output = refine("exit 7");
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr("NOT RESTORED"));
  EXPECT_THAT(output.err, HasSubstr("policy1/scaling_max_freq is 1200000 and was 2400000"));
  install("put $*");
  const Output later = run(weak() + "apmt refine --restore --system-root machine");
  EXPECT_EQ(later.exit_code, 0) << later.err;
  expect_untouched();
}

TEST_F(RefineByCpupower, IsRestoredWhenApmtIsKilled) {
  install("put $*");
  EXPECT_EQ(refine("kill -KILL $apmt").exit_code, 128 + 9);
  EXPECT_THAT(asked(), HasSubstr("-c 1 frequency-set --max 1200000"));
  expect_untouched();
}

/// The user sets the frequency when asked to. `answers` is what the user types; `hook` is shell
/// code that sets the frequency before the n-th run ($n).
class RefineByHand : public RefineByOthers {
 protected:
  Output refine(const std::string& answers, const std::string& hook) const {
    write_script(folder_.path() / "mpirun.openmpi",
                 "echo >>$PLANTED_MACHINE/asked; n=$(wc -l <$PLANTED_MACHINE/asked)\n"
                 "put() { for p in $PLANTED_MACHINE/sys/devices/system/cpu/cpufreq/*; do\n"
                 "  echo $1 >$p/scaling_max_freq; done; }\n" +
                     hook + "\nexec " + openmpi().run + " \"$@\"");
    return run("printf '" + answers + "' | " + kRefine + "--manual -- ./mpirun.openmpi {p} " +
               kProgram);
  }
};

TEST_F(RefineByHand, AsksMeasuresSaysWhatItWasAndRefines) {
  const Output output = refine("\\n\\ndone\\n", "[ $n = 1 ] && put 1200000 || put 1800000");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  for (const char* words : {"Set the core frequency number 1", "1.20GHz was measured",
                            "Set the core frequency number 2", "1.80GHz was measured",
                            "Set the core frequency number 3"})
    EXPECT_THAT(output.err, HasSubstr(words));
  EXPECT_THAT(output.err, Not(HasSubstr("has not changed")));
  EXPECT_THAT(output.err, HasSubstr("left as you set it: "));
  expect_planted(parse_json(output.out, "refine"));
  EXPECT_EQ(setting("policy1", "scaling_max_freq"), "1800000") << "the user's setting stays";
}

TEST_F(RefineByHand, AFrequencyThatDidNotMoveIsTold) {
  const Output output = refine("\\n\\ndone\\n", "");
  EXPECT_EQ(output.exit_code, 3) << output.err;
  EXPECT_THAT(output.err, HasSubstr("2.40GHz was measured, as in number 1: the frequency has not "
                                    "changed"));
  const Json kernels = parse_json(output.out, "refine").at("kernels");
  ASSERT_FALSE(kernels.empty());
  for (const Json& kernel : kernels) EXPECT_EQ(kernel.at("verdict"), "not identified");
}

TEST_F(RefineByHand, InterruptedItGoesOnWithTheNextNumber) {
  const Output first = refine("\\n\\n\\n", "[ $n = 2 ] && exit 7; put 1200000");
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_THAT(first.err, HasSubstr("exit code 7"));
  const Output output = refine("\\n", "put 2400000");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, Not(HasSubstr("number 1 on all nodes")));
  EXPECT_THAT(output.err, HasSubstr("number 2 on all nodes"));
  expect_planted(parse_json(output.out, "refine"));
}

TEST_F(RefineByHand, WithoutAnAnswerNothingIsRun) {
  const Output output = refine("", "");
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_EQ(asked(), "");
}

}  // namespace
}  // namespace apmt::testing
