// The whole way from runs at several core frequencies to a refined model, through recordings, files
// and commands, on a processor whose counters count what was planted (processor/planted_papi.cpp).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/atomic_file.h"
#include "command.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPolicies = "machine/sys/devices/system/cpu/cpufreq";
constexpr int kHighestKhz = 2400000;
constexpr int kLowestKhz = 1000000;

/// What programs/two_kernels.c plants.
struct Planted {
  const char* kernel;
  double cpi_core;
  double bf_mem;
};
constexpr Planted kPlanted[] = {{"sweep", 1.4, 0.12}, {"update", 0.6, 0.25}};

/// Latencies of processor/planted_work.h; those of L1 and L2 play no part beyond the core's clock.
constexpr const char* kMachine = R"(format: apmt-machine
format_version: "1.0"
name: planted
provenance: assumed
source: tests
cpu: planted
cores: 4
frequency_hz: [2.4e9]
levels:
- {name: L1, size_bytes: 32768, latency_ns: [1.5]}
- {name: L2, size_bytes: 1048576, latency_ns: [5]}
- {name: LLC, size_bytes: 33554432, latency_ns: [20]}
- {name: memory, latency_ns: [80]}
)";

class Refine : public ::testing::Test {
 protected:
  /// An experiment at the highest frequency, recorded once for all tests of this file.
  static void SetUpTestSuite() {
    if (!openmpi().present() || !fs::exists(APMT_PLANTED "/bin/apmt")) return;
    recorded_ = new Folder;
    make_machine(*recorded_);
    for (const int procs : {1, 2, 4}) {
      const Output output = planted(*recorded_, "apmt record " + program(procs));
      ASSERT_EQ(output.exit_code, 0) << output.err;
    }
  }
  static void TearDownTestSuite() {
    delete recorded_;
    recorded_ = nullptr;
  }
  void SetUp() override {
    if (recorded_ == nullptr) GTEST_SKIP() << "openmpi is not installed";
    fs::copy(recorded_->path(), folder_.path(), fs::copy_options::recursive);
  }

  /// Two policies, as acpi-cpufreq has them with governor schedutil.
  static void make_machine(const Folder& folder) {
    for (const char* policy : {"policy0", "policy1"}) {
      const fs::path dir = folder.path() / kPolicies / policy;
      fs::create_directories(dir);
      write(dir / "scaling_driver", "acpi-cpufreq");
      write(dir / "scaling_governor", "schedutil");
      write(dir / "scaling_setspeed", "<unsupported>");
      write(dir / "cpuinfo_min_freq", std::to_string(kLowestKhz));
      write(dir / "cpuinfo_max_freq", std::to_string(kHighestKhz));
      write(dir / "scaling_min_freq", std::to_string(kLowestKhz));
      write(dir / "scaling_max_freq", std::to_string(kHighestKhz));
    }
    write(folder.path() / "machine.yaml", kMachine);
  }
  static void write(const fs::path& file, const std::string& text) {
    write_file_atomically(file, text + "\n");
  }
  static std::string program(int procs) {
    return openmpi().run + " " + std::to_string(procs) + " " APMT_PROGRAMS "/openmpi/two_kernels";
  }
  static Output planted(const Folder& folder, const std::string& command) {
    return folder.run("export PATH=" APMT_PLANTED
                      "/bin:\"$PATH\" LIBPFM_FORCE_PMU=skx PLANTED_MACHINE=\"$PWD/machine\" "
                      "APMT_INTERVAL_NS=10000; " +
                      command);
  }
  Output run(const std::string& command) const { return planted(folder_, command); }
  Json json(const std::string& command) const {
    const Output output = run(command);
    EXPECT_EQ(output.exit_code, 0) << command << "\n" << output.err;
    return output.exit_code == 0 ? parse_json(output.out, command) : Json();
  }
  void set_khz(const char* policy, int khz) const {
    write(folder_.path() / kPolicies / policy / "scaling_max_freq", std::to_string(khz));
  }
  void record_at(int khz, int procs) const {
    for (const char* policy : {"policy0", "policy1"}) set_khz(policy, khz);
    const Output output = run("apmt record -d other/" + std::to_string(khz) + " " + program(procs));
    ASSERT_EQ(output.exit_code, 0) << output.err;
  }
  std::string setting(const char* policy, const char* file) const {
    const std::string text = read_whole_file(folder_.path() / kPolicies / policy / file);
    return text.substr(0, text.find('\n'));
  }
  void expect_untouched() const {
    for (const char* policy : {"policy0", "policy1"}) {
      EXPECT_EQ(setting(policy, "scaling_min_freq"), std::to_string(kLowestKhz)) << policy;
      EXPECT_EQ(setting(policy, "scaling_max_freq"), std::to_string(kHighestKhz)) << policy;
    }
    EXPECT_FALSE(fs::exists(folder_.path() / "machine/var/tmp/apmt-frequency.note"));
  }
  static void expect_planted(const Json& refined, double tolerance = 0.01) {
    ASSERT_TRUE(refined.is_object());
    ASSERT_EQ(refined.at("kernels").size(), 2U);
    for (const Planted& planted : kPlanted)
      for (const Json& kernel : refined.at("kernels")) {
        if (kernel.at("name") != planted.kernel) continue;
        ASSERT_EQ(kernel.at("verdict"), "good") << kernel.at("why");
        const double cpi_core = kernel.at("cpi_core");
        const double bf_mem = kernel.at("bf_mem");
        EXPECT_NEAR(cpi_core, planted.cpi_core, tolerance * planted.cpi_core) << planted.kernel;
        EXPECT_NEAR(bf_mem, planted.bf_mem, tolerance * planted.bf_mem) << planted.kernel;
      }
  }

  static Folder* recorded_;
  const Folder folder_;
};
Folder* Refine::recorded_ = nullptr;

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
  // The model on disk is the refined one: other verbs show it, and what was there before is kept.
  const Json model =
      parse_json(read_whole_file(folder_.path() / "apmt-two_kernels/model.json"), "model.json");
  for (const Json& kernel : model.at("kernels")) {
    if (kernel.at("role") == "rest") continue;
    EXPECT_EQ(kernel.at("refined").at("from"), "frequencies");
    EXPECT_TRUE(kernel.at("refined").at("law_before").is_object());
  }
}

TEST_F(Refine, RanksAtDifferentFrequenciesAreToldAndNotUsed) {
  set_khz("policy0", 1200000);
  ASSERT_EQ(run("apmt record -d other " + program(2)).exit_code, 0);
  const Output output = run("apmt refine --frequency --machine machine.yaml --runs other --json");
  EXPECT_EQ(output.exit_code, 3) << output.err;
  for (const Json& kernel : parse_json(output.out, "refine").at("kernels")) {
    EXPECT_EQ(kernel.at("verdict"), "turbo moved");
    EXPECT_THAT(kernel.at("why").get<std::string>(), HasSubstr("rank 0 ran at 1.20 GHz"));
  }
}

TEST_F(Refine, ThreadsAtDifferentFrequenciesAreToldAndNotUsed) {
  set_khz("policy0", 1200000);
  ASSERT_EQ(run("apmt record -d other " + program(1) + " 0.3 0 2").exit_code, 0);
  const Output output = run("apmt refine --frequency --machine machine.yaml --runs other --json");
  EXPECT_EQ(output.exit_code, 3) << output.err;
  for (const Json& kernel : parse_json(output.out, "refine").at("kernels")) {
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

/// apmt sets the frequencies itself. `hook` is shell that runs before each start of the program;
/// $apmt is then the process id of apmt.
class RefineByItself : public Refine {
 protected:
  Output refine(const std::string& hook) const {
    const fs::path launcher = folder_.path() / "mpirun.openmpi";
    write(launcher, "#!/bin/sh\napmt=$(cat " + (folder_.path() / "apmt.pid").string() + ")\n" +
                        hook + "\nexec " + openmpi().run + " \"$@\"");
    fs::permissions(launcher, fs::perms::owner_all);
    // The pipe ends when everybody who may still restore something has ended.
    return run(
        "{ sh -c 'echo $$ >apmt.pid; exec apmt refine --frequency --system-root machine --reps 1 "
        "--frequencies 1.2,1.8,2.4 --procs 2 --machine machine.yaml --json -- "
        "./mpirun.openmpi {p} " APMT_PROGRAMS
        "/openmpi/two_kernels'; echo $? >code; } 2>&1 >out | cat >&2; cat out; exit $(cat code)");
  }
  fs::path policy_file(const char* name) const {
    return folder_.path() / kPolicies / "policy1" / name;
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
  EXPECT_THAT(later.err, HasSubstr("as before now"));
  expect_untouched();
}

}  // namespace
}  // namespace apmt::testing
