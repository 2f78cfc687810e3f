// Tests of frequency control with a sysfs that consists of ordinary files.
#include "machine/frequency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "machine/small_file.h"

namespace apmt {
namespace {

using Way = FrequencyWays::Way;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Frequency : public ::testing::Test {
 protected:
  Frequency() {
    for (const int n : {0, 1, 2}) {
      put(n, "scaling_driver", "acpi-cpufreq");
      put(n, "scaling_governor", "performance");
      put(n, "cpuinfo_min_freq", "1200000");
      put(n, "cpuinfo_max_freq", "3600000");
      put(n, "scaling_min_freq", "1200000");
      put(n, "scaling_max_freq", "3600000");
    }
  }
  fs::path file(int policy, const char* name) const {
    return root() / ("sys/devices/system/cpu/cpufreq/policy" + std::to_string(policy)) / name;
  }
  fs::path root() const { return folder_.path(); }
  void put(int policy, const char* name, const std::string& text) const {
    fs::create_directories(file(policy, name).parent_path());
    std::ofstream(file(policy, name)) << text << "\n";
  }
  std::string get(int policy, const char* name) const {
    return read_small_file(file(policy, name)).value_or("absent");
  }
  void expect_untouched() const {
    for (const int n : {0, 1, 2}) {
      EXPECT_EQ(get(n, "scaling_min_freq"), "1200000") << n;
      EXPECT_EQ(get(n, "scaling_max_freq"), "3600000") << n;
    }
  }
  const TemporaryFolder folder_;
};

TEST_F(Frequency, LimitsAreSetOnEveryCoreAndRestored) {
  {
    FrequencyControl control(root());
    EXPECT_EQ(control.ways().way, Way::kLimits);
    control.set_hz(2.4e9);
    for (const int n : {0, 1, 2}) {
      EXPECT_EQ(get(n, "scaling_min_freq"), "2400000");
      EXPECT_EQ(get(n, "scaling_max_freq"), "2400000");
    }
    control.set_hz(1.8e9);
    EXPECT_EQ(get(2, "scaling_max_freq"), "1800000");
  }
  expect_untouched();
}

TEST_F(Frequency, GovernorUserspaceTakesASpeed) {
  for (const int n : {0, 1, 2}) {
    put(n, "scaling_governor", "userspace");
    put(n, "scaling_setspeed", "3600000");
  }
  FrequencyControl control(root());
  EXPECT_EQ(control.ways().way, Way::kSetSpeed);
  control.set_hz(2.0e9);
  EXPECT_EQ(get(1, "scaling_setspeed"), "2000000");
  EXPECT_EQ(get(1, "scaling_max_freq"), "3600000");
  control.restore();
  EXPECT_EQ(get(1, "scaling_setspeed"), "3600000");
}

TEST_F(Frequency, IntelPstateTakesAShare) {
  for (const int n : {0, 1, 2}) fs::remove(file(n, "scaling_min_freq"));
  const fs::path percent = root() / "sys/devices/system/cpu/intel_pstate/max_perf_pct";
  fs::create_directories(percent.parent_path());
  std::ofstream(percent) << "100\n";
  FrequencyControl control(root());
  EXPECT_EQ(control.ways().way, Way::kPercent);
  control.set_hz(1.8e9);
  EXPECT_EQ(read_small_file(percent), "50");
  control.restore();
  EXPECT_EQ(read_small_file(percent), "100");
}

TEST_F(Frequency, RefusedHalfWayEverythingIsAsBefore) {
  // A folder takes the place of a file, so that writing fails. Permissions would not stop root.
  FrequencyControl control(root());
  control.set_hz(3.0e9);
  fs::rename(file(1, "scaling_max_freq"), root() / "aside");
  fs::create_directory(file(1, "scaling_max_freq"));
  try {
    control.set_hz(2.0e9);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("policy1/scaling_max_freq"));
    EXPECT_THAT(error.hint(), HasSubstr("root"));
  }
  EXPECT_EQ(get(0, "scaling_min_freq"), "1200000");
  EXPECT_EQ(get(0, "scaling_max_freq"), "3600000");
  EXPECT_EQ(get(1, "scaling_min_freq"), "1200000");
  EXPECT_EQ(get(2, "scaling_max_freq"), "3600000");
}

TEST_F(Frequency, AKilledProcessLeavesNothingBehind) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FrequencyControl control(root());
    control.set_hz(2.0e9);
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  ::close(ready[1]);
  char word = 0;
  ASSERT_EQ(::read(ready[0], &word, 1), 1);
  EXPECT_EQ(get(1, "scaling_max_freq"), "2000000");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  // The guardian process holds the last open end of this pipe, and closes it when it has restored
  // all frequencies.
  EXPECT_EQ(::read(ready[0], &word, 1), 0);
  ::close(ready[0]);
  expect_untouched();
}

TEST_F(Frequency, WhatAKilledOneAndItsGuardianLeftIsRestoredByTheNext) {
  const fs::path note = FrequencyControl::note_file(root());
  fs::create_directories(note.parent_path());
  std::ofstream(note) << file(1, "scaling_max_freq").string() << "\t3600000\n"
                      << "/etc/passwd\tnothing that we ever set\n";
  fs::permissions(note, fs::perms::owner_read | fs::perms::owner_write);
  put(1, "scaling_max_freq", "2000000");
  const FrequencyControl control(root());
  EXPECT_THAT(control.recovered(), HasSubstr("1 settings"));
  EXPECT_FALSE(fs::exists(note));
  expect_untouched();
}

TEST_F(Frequency, ANoteOfOthersIsNotBelieved) {
  const fs::path note = FrequencyControl::note_file(root());
  fs::create_directories(note.parent_path());
  std::ofstream(note) << file(1, "scaling_max_freq").string() << "\t1\n";
  fs::permissions(note, fs::perms::owner_all | fs::perms::others_write);
  EXPECT_THROW(FrequencyControl control(root()), InputError);
  expect_untouched();
}

TEST_F(Frequency, TwoAtATimeAreRefused) {
  FrequencyControl first(root());
  first.set_hz(2.0e9);
  EXPECT_THROW(FrequencyControl second(root()), InputError);
  EXPECT_EQ(get(1, "scaling_max_freq"), "2000000");
  EXPECT_TRUE(first.restore().empty());
  EXPECT_NO_THROW(FrequencyControl third(root()));
  expect_untouched();
}

TEST_F(Frequency, WhatCannotBeRestoredIsToldAndTriedAgainByTheNext) {
  {
    FrequencyControl control(root());
    control.set_hz(2.0e9);
    fs::remove(file(1, "scaling_max_freq"));
    fs::create_directory(file(1, "scaling_max_freq"));
    const std::vector<std::string> left = control.restore();
    ASSERT_EQ(left.size(), 1U);
    EXPECT_THAT(left.front(), HasSubstr("policy1/scaling_max_freq"));
  }
  EXPECT_THROW(FrequencyControl control(root()), InputError);
  fs::remove(file(1, "scaling_max_freq"));
  put(1, "scaling_max_freq", "2000000");
  const FrequencyControl control(root());
  EXPECT_FALSE(control.recovered().empty());
  expect_untouched();
}

TEST_F(Frequency, WhatCannotBeWrittenIsTriedWithCpupower) {
  const fs::path tools = root() / "bin";
  fs::create_directories(tools);
  // Stands in for cpupower, and can write where this process cannot.
  std::ofstream(tools / "cpupower")
      << "#!/bin/sh\nf=" << (root() / "sys/devices/system/cpu/cpufreq").string()
      << "/policy$2/scaling_${4#--}_freq\nrm -rf \"$f\"\necho \"$5\" > \"$f\"\n";
  fs::permissions(tools / "cpupower", fs::perms::owner_all);
  FrequencyControl control(root(), tools.string());
  control.set_hz(3.0e9);
  fs::remove(file(1, "scaling_max_freq"));
  fs::create_directory(file(1, "scaling_max_freq"));
  control.set_hz(2.0e9);
  EXPECT_EQ(get(1, "scaling_max_freq"), "2000000");
  EXPECT_TRUE(control.restore().empty());
  expect_untouched();
}

TEST_F(Frequency, WhatIsOutsideIsRefusedBeforeAnythingIsTouched) {
  FrequencyControl control(root());
  EXPECT_THROW(control.set_hz(5e9), InputError);
  EXPECT_THROW(control.set_hz(0), InputError);
  expect_untouched();
}

TEST_F(Frequency, NothingToSetIsAnErrorThatSaysWhy) {
  const TemporaryFolder empty;
  EXPECT_EQ(find_frequency_ways(empty.path()).way, Way::kNone);
  EXPECT_THROW(FrequencyControl control(empty.path()), InputError);
}

TEST(FrequencyWords, SrunSetsItItself) {
  EXPECT_EQ(launcher_frequency_words("/usr/bin/srun", 2.4e9),
            std::vector<std::string>{"--cpu-freq=2400000"});
  EXPECT_TRUE(launcher_frequency_words("mpirun", 2.4e9).empty());
}

}  // namespace
}  // namespace apmt
