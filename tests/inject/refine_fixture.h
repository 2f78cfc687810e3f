// The fixture of the tests of `apmt refine --frequency`: an experiment recorded on the simulated
// processor of processor/planted_papi.cpp, whose core frequencies are set by files in a folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/atomic_file.h"
#include "command.h"

namespace apmt::testing {

namespace fs = std::filesystem;

inline constexpr const char* kPolicies = "machine/sys/devices/system/cpu/cpufreq";
inline constexpr int kHighestKhz = 2400000;
inline constexpr int kLowestKhz = 1000000;

/// The values planted in programs/two_kernels.c.
struct Planted {
  const char* kernel;
  double cpi_core;
  double bf_mem;
};
inline constexpr Planted kPlanted[] = {{"sweep", 1.4, 0.12}, {"update", 0.6, 0.25}};

/// A machine profile. The latencies of LLC and memory are those of processor/planted_work.h; those
/// of L1 and L2 have no effect on these tests.
inline constexpr const char* kMachine = R"(format: apmt-machine
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

/// Runs of programs/two_kernels.c on this processor, and commands that use these runs.
class Refine : public ::testing::Test {
 protected:
  /// Records an experiment at the highest frequency, once for all tests of a suite.
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
    if (recorded_ == nullptr)
      GTEST_SKIP() << (openmpi().present() ? APMT_PLANTED "/bin/apmt is not built"
                                           : openmpi().missing());
    fs::copy(recorded_->path(), folder_.path(), fs::copy_options::recursive);
  }

  /// Writes machine.yaml and two frequency policies, as the driver acpi-cpufreq has them under
  /// governor schedutil.
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
  static void write_script(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    write(file, "#!/bin/sh\n" + text);
    fs::permissions(file, fs::perms::owner_all);
  }
  static Output planted(const Folder& folder, const std::string& command) {
    return folder.run("export PATH=" APMT_PLANTED
                      "/bin:\"$PATH\" LIBPFM_FORCE_PMU=skx PLANTED_MACHINE=\"$PWD/machine\" "
                      "APMT_INTERVAL_NS=10000; " +
                      command);
  }
  Output run(const std::string& command) const { return planted(folder_, command); }
  /// Runs one command and writes its process id to apmt.pid. Returns when every process that may
  /// still restore a frequency has ended: all of them keep the command's stderr open.
  Output run_to_the_last(const std::string& command) const {
    return run("{ sh -c 'echo $$ >apmt.pid; exec " + command +
               "'; echo $? >code; } 2>&1 >out | cat >&2; cat out; exit $(cat code)");
  }
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
  fs::path policy_file(const char* name) const {
    return folder_.path() / kPolicies / "policy1" / name;
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

  inline static Folder* recorded_ = nullptr;
  const Folder folder_;
};

}  // namespace apmt::testing
