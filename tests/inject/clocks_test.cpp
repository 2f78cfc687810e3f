// Compares the CPU time that the sampling clocks find in a program with the program's own
// measurement.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "command.h"
#include "stolen.h"

namespace apmt::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double kIntervalS = 0.001;

struct Result {
  std::string source;
  std::string event;
  Json notes;
  std::map<std::string, double> found_s;    // by function, according to the samples
  std::map<std::string, double> planted_s;  // by function, according to the program
  double all_s;                             // of the process, according to the program
  double found_anywhere_s;                  // in any function, according to the samples
  double stolen_s;                          // taken by a hypervisor during the run
};

constexpr double kNear = 0.25;

/// Expects that the sampled time is near the planted time, or above it by no more than the stolen
/// time (time in which a hypervisor took the processor away). Returns false if it is above the
/// planted time by more than kNear permits, even if stolen time may be the reason.
bool is_as_planted(double found_s, double planted_s, double stolen_s) {
  EXPECT_GE(found_s, (1 - kNear) * planted_s);
  EXPECT_LE(found_s, (1 + kNear) * planted_s + stolen_s);
  return found_s <= (1 + kNear) * planted_s;
}

#define EXPECT_PLANTED(found_s, planted_s, stolen_s)                                  \
  if (!is_as_planted(found_s, planted_s, stolen_s) && !::testing::Test::HasFailure()) \
  GTEST_SKIP() << "not known: a hypervisor took " << (stolen_s) << " s of the CPUs meanwhile"

/// Records between_ticks with a source of samples. `around` is a command that is put before `apmt
/// record`, so that the recorder and the program run under it.
Result record(const std::string& source, const std::string& around = "") {
  Folder folder;
  const double stolen_before_s = stolen_s();
  const Output output = folder.run(around + " apmt record -d experiment --interval 1 --source " +
                                   source + " -- " APMT_PROGRAMS "/between_ticks 0.4");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const Json profile = folder.json("apmt info --json experiment/apmt-between_ticks.p1.r1");
  Result result = {profile.at("sampling").at("source"),
                   profile.at("sampling").at("event"),
                   profile.at("health").at("notes"),
                   {},
                   {},
                   0,
                   0,
                   stolen_s() - stolen_before_s};
  EXPECT_DOUBLE_EQ(profile.at("sampling").at("interval_s").get<double>(), kIntervalS);
  std::istringstream truth(output.out);
  std::string name;
  for (double seconds = 0; truth >> name >> seconds;) {
    if (name == "all") {
      result.all_s = seconds;
      continue;
    }
    result.planted_s[name] = seconds;
    result.found_s[name] = 0;
  }
  EXPECT_EQ(result.planted_s.size(), 3u) << output.out;
  for (const Json& kernel : profile.at("kernels")) {
    const Json& cpu = kernel.at("counters").at("cpu_s");
    const double seconds =
        cpu.at("samples").at(0).get<double>() * cpu.at("unit_per_sample").get<double>();
    result.found_anywhere_s += seconds;
    if (const auto it = result.found_s.find(kernel.at("name")); it != result.found_s.end())
      it->second = seconds;
  }
  for (const auto& [function, planted] : result.planted_s)
    std::printf("%-12s planted %.3f s  found %.3f s\n", function.c_str(), planted,
                result.found_s[function]);
  std::printf("%-12s     all %.3f s  found %.3f s\n", "", result.all_s, result.found_anywhere_s);
  return result;
}

bool is_seen(const std::string& event) { return event.rfind("PERF_COUNT_SW_TASK_CLOCK", 0) == 0; }

/// The program hides 0.4 s of work from the kernel's tick: it works in hundreds of short pieces
/// between ticks. A clock that is independent of the tick takes the right number of samples, to
/// within a few per cent. A clock that depends on the tick takes none.
TEST(Clocks, TheTaskClockFindsWhatHidesFromTheTick) {
  const Result r = record("auto");
  if (r.source != "task-clock") GTEST_SKIP() << "no task clock here, the source is " << r.source;
  EXPECT_TRUE(is_seen(r.event)) << r.event;
  for (const char* name : {"hidden", "open_to_all", "inside"})
    EXPECT_PLANTED(r.found_s.at(name), r.planted_s.at(name), r.stolen_s) << ", in " << name;
}

/// If the task clock may sample user mode only, as for an ordinary user, the timer finds the time
/// spent in the kernel. This time is attributed to the function that makes the system calls.
TEST(Clocks, TimeInTheKernelIsNotLostToAnOrdinaryUser) {
  const Output may =
      Folder().run("setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'command -v apmt'");
  if (may.exit_code != 0)
    GTEST_SKIP() << "needs the right to become another user, who may read what was built";
  const Result r =
      record("auto", "chmod 777 . && setpriv --reuid 65534 --regid 65534 --clear-groups");
  if (r.source != "task-clock") GTEST_SKIP() << "no task clock for users here";
  for (const auto& [name, planted] : r.planted_s)
    EXPECT_PLANTED(r.found_s.at(name), planted, r.stolen_s) << ", in " << name;
}

TEST(Clocks, TheTimerTakesItsPlaceWhereItIsDeniedAndTheProfileSaysWhy) {
  const Result r = record("auto", APMT_VICTIMS "/deny_perf");
  EXPECT_EQ(r.source, "posix-timer");
  EXPECT_EQ(r.event, "CLOCK_THREAD_CPUTIME_ID");
  EXPECT_THAT(r.notes,
              Contains(HasSubstr("the task clock is not available: Operation not permitted")));
  EXPECT_PLANTED(r.found_anywhere_s, r.all_s, r.stolen_s)
      << ": time is given to the wrong one, but not lost";
}

/// Programs that sleep after every 10 ms of work. The samples must add up to the program's CPU
/// clock; otherwise the profile must state the difference and scale the samples.
class Sleepers : public ::testing::TestWithParam<const char*> {};

TEST_P(Sleepers, AreSampledForTheirCpuTimeOrMarked) {
  constexpr double kClose = 0.03;
  constexpr double kTicksS = 0.008;  // one tick at the beginning and one at the end
  const Folder folder;
  const Output output = folder.run(
      std::string("apmt record -d experiment -- " APMT_PROGRAMS "/sleeper ") + GetParam());
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const double cpu_s = std::stod(output.out);
  const Json profile = folder.json("apmt info --json experiment/apmt-sleeper.p1.r1");
  double raw_s = 0;
  double scaled_s = 0;
  for (const Json& kernel : profile.at("kernels")) {
    const Json& cpu = kernel.at("counters").at("cpu_s");
    raw_s += cpu.at("samples").at(0).get<double>() * cpu.at("unit_per_sample").get<double>();
    scaled_s += cpu.at("total").get<double>();
  }
  std::printf("%s: CPU time %.3f s, sampled %.3f (%.3f), scaled %.3f\n", GetParam(), cpu_s, raw_s,
              raw_s / cpu_s, scaled_s);
  EXPECT_LE(scaled_s, (1 + kClose) * cpu_s + kTicksS);
  EXPECT_GE(scaled_s, (1 - kClose) * cpu_s - kTicksS);
  constexpr double kWorthANote = 0.05;  // seconds; the profile does not state smaller differences
  if (std::abs(raw_s - cpu_s) > std::max(kClose * cpu_s + kTicksS, kWorthANote + kTicksS)) {
    EXPECT_THAT(profile.at("health").at("notes"),
                Contains(HasSubstr("of the CPU time that the threads' clocks show")));
  }
}

INSTANTIATE_TEST_SUITE_P(By, Sleepers,
                         ::testing::Values("nanosleep", "poll", "select", "sem_timedwait"),
                         [](const auto& way) { return std::string(way.param); });

}  // namespace
}  // namespace apmt::testing
