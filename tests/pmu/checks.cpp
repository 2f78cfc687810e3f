// Checks recordings of programs with known counts. run.sh makes these recordings on an emulated
// processor that needs two cycles per instruction, and starts this program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "profiler/simulated/callgrind_file.h"
#include "tests/pmu/recordings.h"

namespace apmt::pmu {
namespace {

using testing::HasSubstr;

/// The most user-mode instructions that the recorder's handler executes for one sample. The
/// counters count them like those of the program.
constexpr double kMostInHandler = 600;

TEST(Counting, InstructionsOfAKnownLoop) {
  const RunProfile p = profile("counters", "exact");
  const KernelProfile loop = kernel(p, "known_loop");
  // The counters count the loop and also the handler of every sample.
  ASSERT_EQ(p.sampling.totals.size(), 2u);
  const double handler = kMostInHandler * static_cast<double>(p.sampling.samples);
  const double cycles = p.sampling.totals[0].counted;
  const double instructions = p.sampling.totals[1].counted;
  EXPECT_GE(instructions, 1e9);
  EXPECT_LT(instructions, 1e9 + handler);
  EXPECT_NEAR(cycles, 2 * instructions, 1e4);
  // There is one sample of the loop for each full period.
  EXPECT_EQ(samples(loop, "cycles"), static_cast<std::uint64_t>(cycles / 2e6));
  EXPECT_EQ(samples(loop, "instructions"), static_cast<std::uint64_t>(instructions / 1e6));
  EXPECT_EQ(total(loop, "instructions"), 1e6 * static_cast<double>(samples(loop, "instructions")));
  EXPECT_EQ(total(loop, "cycles"), 2e6 * static_cast<double>(samples(loop, "cycles")));
  const Counter& c = loop.counters.at("instructions");
  EXPECT_EQ(c.provenance, Provenance::kHardware);
  EXPECT_EQ(c.unit_per_sample, 1000000);
  EXPECT_THAT(c.event, HasSubstr("INST_RETIRED"));
}

TEST(Counting, EventsBecomeWhatTheyMean) {
  const KernelProfile loop = kernel(profile("counters", "meaning"), "known_loop");
  EXPECT_NEAR(total(loop, "stall"), 1e8, 4e6);  // here cycles - instructions: half of the cycles
  EXPECT_EQ(loop.counters.at("stall").provenance, Provenance::kDerived);
  EXPECT_FALSE(loop.counters.contains("instructions"));
  EXPECT_FALSE(loop.counters.contains("acc_mm"));
}

TEST(Counting, TimeFollowsFromCycles) {
  const RunProfile p = profile("counters", "exact");
  const KernelProfile loop = kernel(p, "known_loop");
  EXPECT_EQ(loop.counters.at("cpu_s").provenance, Provenance::kDerived);
  EXPECT_NEAR(total(loop, "cpu_s"), 2.0, 0.06);  // at 1 GHz
  EXPECT_NEAR(p.times.sampled_cpu_s.total(), p.times.main_cpu_s.total(), 0.1);
  EXPECT_EQ(p.sampling.source, "hardware");
  EXPECT_EQ(p.sampling.event, "PAPI_TOT_CYC, PAPI_TOT_INS");
  EXPECT_EQ(p.sampling.interval_s, 0);
  EXPECT_NEAR(p.config.frequency_hz.value_or(0), 1e9, 3e7);
  EXPECT_EQ(p.grade, Grade::kC);
}

TEST(Counting, DefaultEventsAndPeriodsThatKeepTheCostDown) {
  const RunProfile p = profile("counters", "default");
  EXPECT_EQ(p.sampling.event, "PAPI_TOT_CYC, PAPI_TOT_INS");
  const KernelProfile loop = kernel(p, "known_loop");
  const Counter& cycles = loop.counters.at("cycles");
  EXPECT_GE(cycles.unit_per_sample, 2000000);
  EXPECT_NEAR(cycles.total(), 8e8, 2 * cycles.unit_per_sample);
  EXPECT_LT(p.health.overhead_fraction, 0.006);
}

TEST(Attribution, ThreeToOne) {
  const KernelProfile three = kernel(profile("counters", "split"), "three_parts");
  const KernelProfile one = kernel(profile("counters", "split"), "one_part");
  const double n = static_cast<double>(samples(three, "cycles") + samples(one, "cycles"));
  EXPECT_NEAR(n, 401, 2);
  EXPECT_NEAR(static_cast<double>(samples(three, "cycles")) / n, 0.75,
              3 * std::sqrt(0.75 * 0.25 / n));
}

TEST(Attribution, AnEventBelongsWhereItOverflows) {
  const RunProfile p = profile("counters", "alternating");
  const double there = total(kernel(p, "touches_pages"), "perf::page-faults");
  const double elsewhere = total(kernel(p, "touches_nothing"), "perf::page-faults");
  EXPECT_NEAR(there, 8000, 100);
  EXPECT_LE(std::max(elsewhere, 0.0), 0.05 * there);
}

TEST(Threads, EachIsSampledByItself) {
  const std::vector<RawRecording> raw = recordings("counters", "threads");
  ASSERT_EQ(raw.size(), 1u);
  int workers = 0;
  for (const format::Thread& t : raw[0].threads) {
    if (t.samples < 10) continue;
    ++workers;
    EXPECT_NEAR(static_cast<double>(t.samples), 50, 1);
  }
  EXPECT_EQ(workers, 4);
  EXPECT_EQ(raw[0].threads.size(), 205u);
  EXPECT_EQ(samples(kernel(profile("counters", "threads"), "threaded_loop"), "cycles"), 200u);
}

TEST(Totals, AreExactAndAccountedFor) {
  const RunProfile p = profile("counters", "exact");
  ASSERT_EQ(p.sampling.totals.size(), 2u);
  for (const EventTotal& total : p.sampling.totals) {
    const double expected = total.event == "PAPI_TOT_INS" ? 1e9 : 2e9;
    EXPECT_NEAR(total.counted, expected, 0.02 * expected) << total.event;
    EXPECT_GT(total.sampled_share, 0.99) << total.event;
  }
  EXPECT_FALSE(has_note(p, {"account for"}));
}

TEST(Totals, OfOtherThreadsAndOfTimeSlicesAreThereToo) {
  for (const char* name : {"threads", "slices", "slices-threads"})
    for (const EventTotal& total : profile("counters", name).sampling.totals)
      EXPECT_GT(total.sampled_share, 0.95) << name << " " << total.event;
}

TEST(Totals, OverflowsThatAreNotDeliveredAreSaid) {
  const RunProfile p = profile("counters", "too-fast");
  const auto found = std::find_if(p.sampling.totals.begin(), p.sampling.totals.end(),
                                  [](const EventTotal& t) { return t.event == "PAPI_TOT_INS"; });
  ASSERT_NE(found, p.sampling.totals.end());
  EXPECT_NEAR(found->counted, 1e8, 2e6) << "however many overflows were delivered";
  EXPECT_LT(found->sampled_share, 0.9);
  EXPECT_NEAR(found->sampled_share * 1e8, total(kernel(p, "known_loop"), "instructions"), 2e6);
  EXPECT_TRUE(has_note(p, {"samples account for", "PAPI_TOT_INS", "lower the rate (--interval)"}));
}

TEST(Threads, EachHasItsCycles) {
  const RunProfile p = profile("counters", "threads");
  ASSERT_GE(p.threads.size(), 4u);
  int workers = 0;
  for (const ThreadRow& t : p.threads) {
    ASSERT_TRUE(t.cycles.has_value());
    if (*t.cycles < 5e7) continue;
    ++workers;
    EXPECT_NEAR(*t.cycles, 1e8, 4e6);  // 50 periods of 2 million
    EXPECT_NEAR(t.cpu_s, 0.1, 0.02);   // at 1 GHz
  }
  EXPECT_EQ(workers, 4);
}

TEST(Details, LibrariesAndOwnCost) {
  const RunProfile p = profile("counters", "exact");
  EXPECT_THAT(p.libraries.at("libc"), HasSubstr("glibc"));
  EXPECT_THAT(p.libraries.at("papi"), HasSubstr("."));
  ASSERT_TRUE(p.own_cost.sample_s && p.own_cost.delivery_s && p.own_cost.handler_s);
  EXPECT_GT(*p.own_cost.handler_s, 0);
  EXPECT_NEAR(*p.own_cost.delivery_s + *p.own_cost.handler_s, *p.own_cost.sample_s, 1e-9);
  EXPECT_GT(p.own_cost.handler_in_run_s.value_or(0), 0);
}

TEST(Threads, LeaveNoDescriptorsBehind) {
  EXPECT_EQ(output("counters", "threads"), "descriptors left over: 0\n");
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, EachCountsItself) {
  const int n = GetParam();
  const RunProfile p = profile("counters", "ranks-" + std::to_string(n));
  ASSERT_EQ(p.config.procs, n);
  ASSERT_EQ(p.health.ranks_present, n);
  const KernelProfile loop = kernel(p, "rank_loop");
  ASSERT_TRUE(loop.counters.contains("instructions"));
  for (int r = 0; r < n; ++r) {
    const std::size_t rank = static_cast<std::size_t>(r);
    EXPECT_NEAR(loop.counters.at("instructions").rank_value(rank), 5e7 * (r + 1), 2e6)
        << "rank " << r;
    EXPECT_NEAR(loop.counters.at("cycles").rank_value(rank), 1e8 * (r + 1), 4e6) << "rank " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(TwoAndFour, Ranks, testing::Values(2, 4));

TEST(EventSets, WhatDoesNotFitIsCountedElsewhere) {
  const std::vector<RawRecording> zero = recordings("counters", "set-0");
  const std::vector<RawRecording> one = recordings("counters", "set-1");
  ASSERT_EQ(zero.size(), 1u);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(zero[0].first("event_set"), "0 of 2");
  EXPECT_EQ(one[0].first("event_set"), "1 of 2");
  // The two event sets together have all eight events, and count cycles twice, because both sets
  // include cycles.
  EXPECT_EQ(zero[0].header.event_count + one[0].header.event_count, 9u);
  EXPECT_TRUE(has_note(profile("counters", "set-0"), {"PERF_COUNT_HW_INSTRUCTIONS", "APMT_SET=1"}));
  EXPECT_NEAR(total(kernel(profile("counters", "set-0"), "known_loop"), "perf_raw::r08"), 1e8, 2e6);
  EXPECT_NEAR(total(kernel(profile("counters", "set-1"), "known_loop"), "instructions"), 1e8, 2e6);
}

TEST(EventSets, EventsThatOverflowTogetherAreAllServed) {
  const RunProfile p = profile("counters", "set-0");
  const KernelProfile loop = kernel(p, "known_loop");
  for (const char* metric : {"cycles", "perf::cycles", "perf_raw::r11"})
    EXPECT_NEAR(static_cast<double>(samples(loop, metric)), 100, 4) << metric;
  for (const char* metric : {"instructions", "perf::instructions", "perf_raw::r08"})
    EXPECT_NEAR(static_cast<double>(samples(loop, metric)), 100, 4) << metric;
}

class SetsOnRanks : public testing::TestWithParam<int> {};

TEST_P(SetsOnRanks, Rotate) {
  const int n = GetParam();
  const std::string name = "ranks-sets-" + std::to_string(n);
  const std::vector<RawRecording> raw = recordings("counters", name);
  ASSERT_EQ(raw.size(), static_cast<std::size_t>(n));
  for (std::size_t r = 0; r < raw.size(); ++r)
    EXPECT_EQ(raw[r].first("event_set"), std::to_string(r % 2) + " of 2");
  const RunProfile p = profile("counters", name);
  EXPECT_EQ(p.sampling.rotation, "ranks");
  const KernelProfile loop = kernel(p, "rank_loop");
  ASSERT_TRUE(loop.counters.contains("perf_raw::r08"));
  const Counter& estimated = loop.counters.at("perf_raw::r08");
  EXPECT_EQ(estimated.provenance, Provenance::kDerived);
  const double instructions = 5e7 * n * (n + 1) / 2;  // rank r executes (r + 1) * 50 million
  EXPECT_NEAR(estimated.total(), instructions, 0.06 * instructions);
  EXPECT_NEAR(total(loop, "instructions"), instructions, 0.06 * instructions);
  EXPECT_EQ(loop.counters.at("cycles").provenance, Provenance::kHardware);
  EXPECT_TRUE(has_note(
      p, {"perf_raw::r08", std::to_string(n / 2) + " of " + std::to_string(n) + " ranks"}));
}

INSTANTIATE_TEST_SUITE_P(TwoAndFour, SetsOnRanks, testing::Values(2, 4));

TEST(TimeSlices, AllIsCountedInOneRunAndScaled) {
  const std::vector<RawRecording> raw = recordings("counters", "slices");
  ASSERT_EQ(raw.size(), 1u);
  EXPECT_EQ(raw[0].first("rotation"), "time");
  EXPECT_EQ(raw[0].header.event_count, 8u);
  EXPECT_GT(raw[0].header.slice_samples[0], 300u);
  EXPECT_GT(raw[0].header.slice_samples[1], 300u);
  const RunProfile p = profile("counters", "slices");
  EXPECT_EQ(p.sampling.rotation, "time");
  const KernelProfile loop = kernel(p, "known_loop");
  EXPECT_NEAR(total(loop, "cycles"), 2e9, 2e6) << "cycles belong to every slice";
  EXPECT_EQ(loop.counters.at("cycles").measured_fraction, 1);
  for (const char* metric :
       {"perf::instructions", "perf_raw::r08", "perf::perf_count_hw_instructions"})
    EXPECT_NEAR(total(loop, metric), 1e9, 2e7) << metric;
  EXPECT_NEAR(total(loop, "perf_raw::r11"), 2e9, 4e7);
  for (const char* metric : {"perf_raw::r08", "perf::perf_count_hw_instructions"}) {
    const Counter& c = loop.counters.at(metric);
    EXPECT_EQ(c.provenance, Provenance::kDerived) << metric;
    EXPECT_GT(c.measured_fraction, 0.25) << metric;
    EXPECT_LT(c.measured_fraction, 0.75) << metric;
  }
  EXPECT_TRUE(has_note(p, {"scaled", "perf_raw::r08"}));
}

TEST(TimeSlices, EventsBelongToTheFunctionsThatHaveThem) {
  const RunProfile p = profile("counters", "slices-split");
  const double three = total(kernel(p, "three_parts"), "perf_raw::r08");
  const double one = total(kernel(p, "one_part"), "perf_raw::r08");
  EXPECT_NEAR(three / (three + one), 0.75, 0.08);
}

TEST(TimeSlices, EveryThreadTakesTurnsAndLeavesNoDescriptors) {
  const RunProfile p = profile("counters", "slices-threads");
  EXPECT_EQ(samples(kernel(p, "threaded_loop"), "cycles"), 200u);
  EXPECT_NEAR(total(kernel(p, "threaded_loop"), "perf_raw::r08"), 2e8, 3e7);
  EXPECT_EQ(output("counters", "slices-threads"), "descriptors left over: 0\n");
}

TEST(TimeSlices, ARunTooShortForAllOfThemSaysSo) {
  const RunProfile p = profile("counters", "slices-short");
  const KernelProfile loop = kernel(p, "known_loop");
  EXPECT_FALSE(loop.counters.contains("perf_raw::r08") &&
               loop.counters.contains("perf::perf_count_hw_instructions"));
  EXPECT_TRUE(has_note(p, {"is not measured", "time slices", "25 %"}));
}

TEST(Absence, IsSaidAndNeverZero) {
  const RunProfile p = profile("counters", "absent");
  EXPECT_TRUE(has_note(p, {"PAPI_BR_MSP", "not measured", "counts nothing"}));
  EXPECT_TRUE(has_note(p, {"NO_SUCH_EVENT", "not measured"}));
  const KernelProfile loop = kernel(p, "known_loop");
  EXPECT_FALSE(loop.counters.contains("papi_br_msp"));
  EXPECT_NEAR(total(loop, "cycles"), 2e8, 4e6);
}

TEST(Absence, AnEventThatReadsZeroIsNotMeasured) {
  const RunProfile p = profile("reads-zero", "reads-zero");
  EXPECT_EQ(p.sampling.event, "PAPI_TOT_CYC");
  EXPECT_TRUE(has_note(p, {"PAPI_TOT_INS", "not measured", "counts nothing"}));
  EXPECT_FALSE(kernel(p, "known_loop").counters.contains("instructions"));
}

TEST(Absence, WithoutPresetsTheKernelsNamesServe) {
  const RunProfile p = profile("no-presets", "no-presets");
  EXPECT_EQ(p.sampling.source, "hardware");
  EXPECT_THAT(p.sampling.event, HasSubstr("perf::PERF_COUNT_HW_CPU_CYCLES"));
  const KernelProfile loop = kernel(p, "known_loop");
  ASSERT_TRUE(loop.counters.contains("cycles"));
  EXPECT_NEAR(total(loop, "cycles"), 2e8, 2 * loop.counters.at("cycles").unit_per_sample);
}

TEST(Simulated, InstructionsOfFunctionsAreThoseThatTheProcessorCounts) {
  const RunProfile counted = profile("simulated", "counted");
  std::map<std::string, double> simulated;
  const CallgrindProfile dump =
      read_callgrind_file(results_folder() + "/simulated.out/results/callgrind.out.1");
  for (const auto& [function, costs] : dump.costs)
    simulated[function.name.substr(0, function.name.find('\''))] +=  // "sift'2": sift, recursive
        static_cast<double>(costs[0]);
  EXPECT_EQ(output("simulated", "counted"), output("simulated", "simulated"));
  for (const char* name : {"multiply", "sift", "hash_text"}) {
    const KernelProfile k = kernel(counted, name);
    const double n = static_cast<double>(samples(k, "instructions"));
    ASSERT_GT(n, 30) << name;
    EXPECT_NEAR(total(k, "instructions") / simulated[name], 1, 3 / std::sqrt(n)) << name;
  }
}

class Denied : public testing::TestWithParam<int> {};

TEST_P(Denied, AClockTakesItsPlaceAndTheCauseIsNamed) {
  const std::string level = std::to_string(GetParam());
  const RunProfile p = profile("counters", "denied-" + level);
  EXPECT_EQ(p.sampling.source, "posix-timer");
  EXPECT_EQ(p.grade, Grade::kC);
  EXPECT_TRUE(has_note(p, {"PAPI_TOT_CYC", "not measured", "perf_event_paranoid is " + level}));
  EXPECT_GT(samples(kernel(p, "known_loop"), "cpu_s"), 0u);
}

INSTANTIATE_TEST_SUITE_P(ThreeAndFour, Denied, testing::Values(3, 4));

class Clocks : public testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(Clocks, SamplesAreTime) {
  const auto& [source, interval_s] = GetParam();
  const RunProfile p = profile("counters", source == std::string("posix-timer") ? "timer" : source);
  EXPECT_EQ(p.sampling.source, source);
  EXPECT_DOUBLE_EQ(p.sampling.interval_s, interval_s);
  const KernelProfile loop = kernel(p, "known_loop");
  EXPECT_NEAR(total(loop, "cpu_s"), 0.4, 0.02);
  EXPECT_EQ(loop.counters.at("cpu_s").provenance, Provenance::kClock);
}

INSTANTIATE_TEST_SUITE_P(Both, Clocks,
                         testing::Values(std::pair("task-clock", 0.002),
                                         std::pair("posix-timer", 0.004)));

}  // namespace
}  // namespace apmt::pmu

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (apmt::pmu::results_folder().empty()) {
    std::puts("SKIP: tests/pmu/run.sh makes what this checks");
    return 77;
  }
  return RUN_ALL_TESTS();
}
