// Checks apmt doctor on the emulated machine: it must report as working exactly the counters that
// the emulator supports.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pmu/recordings.h"

namespace apmt::pmu {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Json found(const Json& report, const std::string& id) {
  for (const Json& check : report.at("checks"))
    if (check.at("id") == id) return check;
  ADD_FAILURE() << "no check " << id;
  return {{"state", ""}, {"what", ""}, {"remedy", ""}, {"details", Json::array()}};
}

std::vector<std::string> details(const Json& check) {
  return check.at("details").get<std::vector<std::string>>();
}

/// The names of the metrics that are counted, read from lines such as "cycles: counts: ...".
std::vector<std::string> counting(const Json& events) {
  std::vector<std::string> names;
  for (const std::string& line : details(events))
    if (const std::size_t at = line.find(": counts: "); at != std::string::npos)
      names.push_back(line.substr(0, at));
  return names;
}

TEST(Doctor, CyclesAndInstructionsCountAndNothingElse) {
  const Json report = doctor("counters", "doctor");
  EXPECT_EQ(found(report, "counters").at("state"), "good");
  const Json events = found(report, "events");
  EXPECT_EQ(events.at("state"), "limited");
  EXPECT_THAT(counting(events), ElementsAre("cycles", "instructions"));
  // The known loop has 20 million instructions; starting and stopping the counter adds a few.
  EXPECT_THAT(details(events),
              Contains(AllOf(StartsWith("instructions: counts: PAPI_TOT_INS: 2000"),
                             HasSubstr("of 20000000 expected"))));
  EXPECT_THAT(details(events), Contains(AllOf(StartsWith("hit_L1: does not count"),
                                              HasSubstr("starts but counts nothing"))));
  EXPECT_THAT(details(events),
              Contains(AllOf(StartsWith("acc_mm: does not count"),
                             HasSubstr("PAPI has no such event on this processor"))));
  EXPECT_THAT(found(report, "sampling").at("what").get<std::string>(),
              HasSubstr("by counter overflow (80 samples"));
  // MPI, samples and valgrind are available, but no counters of memory accesses.
  EXPECT_EQ(report.at("grade"), "C");
  EXPECT_EQ(report.at("grade_with_simulation"), "B");
  EXPECT_THAT(report.at("would_raise").get<std::vector<std::string>>(),
              ElementsAre(StartsWith("B: simulated counters"),
                          StartsWith("A: counters of cycles, instructions, memory accesses")));
}

TEST(Doctor, AMapsEventsAreTriedOneByOne) {
  const Json events = found(doctor("no-presets", "doctor"), "events");
  EXPECT_THAT(events.at("what").get<std::string>(),
              AllOf(HasSubstr("arm-neoverse-n1"), HasSubstr("2 of 7 metrics count")));
  EXPECT_THAT(counting(events), ElementsAre("cycles", "instructions"));
  EXPECT_THAT(details(events), Contains("stall: does not count: arm_n1::STALL_BACKEND: starts but "
                                        "counts nothing"));
}

TEST(Doctor, AnInstructionCounterThatStaysZeroDoesNotCount) {
  const Json events = found(doctor("reads-zero", "doctor"), "events");
  EXPECT_THAT(counting(events), ElementsAre("cycles"));
  EXPECT_THAT(details(events),
              Contains("instructions: does not count: PAPI_TOT_INS: starts but counts nothing"));
}

class DoctorDenied : public testing::TestWithParam<int> {};

TEST_P(DoctorDenied, TheLevelIsNamedAndNothingIsTried) {
  const std::string level = std::to_string(GetParam());
  const Json report = doctor("counters", "doctor-" + level);
  const Json counters = found(report, "counters");
  EXPECT_EQ(counters.at("state"), "limited") << "runs can still be recorded";
  EXPECT_THAT(counters.at("what").get<std::string>(), HasSubstr("paranoid is " + level));
  EXPECT_EQ(counters.at("remedy"), "as root: sysctl kernel.perf_event_paranoid=2");
  EXPECT_EQ(found(report, "events").at("state"), "not tested");
  EXPECT_THAT(counting(found(report, "events")), IsEmpty());
  EXPECT_THAT(found(report, "sampling").at("what").get<std::string>(),
              AllOf(HasSubstr("timer"), Not(HasSubstr("overflow"))));
}

INSTANTIATE_TEST_SUITE_P(ThreeAndFour, DoctorDenied, testing::Values(3, 4));

}  // namespace
}  // namespace apmt::pmu
