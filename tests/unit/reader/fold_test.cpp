// Tests of merging the recordings of ranks into a run: which recordings belong together, and the
// notes on the figures.
#include "profiler/reader/fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"

namespace apmt {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kSecond = 1000000000;

/// A rank that ran from second 100 to second 110, sampled every millisecond.
RawRecording rank(int number, int of) {
  RawRecording raw;
  raw.file = "rank-" + std::to_string(number);
  format::Header& h = raw.header;
  h.world_rank = number;
  h.world_size = of;
  h.start_ns = 100 * kSecond;
  h.init_returned_ns = 101 * kSecond;
  h.finalize_entered_ns = 109 * kSecond;
  h.end_ns = 110 * kSecond;
  h.ending = format::Ending::kExited;
  h.sample_source = format::SampleSource::kPosixTimer;
  h.event_count = 1;
  h.events[0].period = 1000000;
  raw.text["host"] = {"node1"};
  raw.text["exe"] = {"/bin/app"};
  return raw;
}

format::Thread thread(double cpu_s, std::uint64_t samples) {
  format::Thread t{};
  t.tid = 1;
  t.start_ns = 100 * kSecond;
  t.end_ns = 108 * kSecond;
  t.cpu_ns = static_cast<std::int64_t>(cpu_s * 1e9);
  t.samples = samples;
  return t;
}

TEST(Fold, AProcessWithoutARankMayHaveEnded) {
  RawRecording raw = rank(-1, 0);
  raw.header.ending = format::Ending::kOpen;
  try {
    fold({raw});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("MPI_Init did not return in this process: the process ended"));
  }
}

TEST(Fold, TheMainPartIsFromTheReturnOfInitToTheEntryOfFinalize) {
  RawRecording raw = rank(0, 1);
  raw.header.init_entered_ns = 100 * kSecond + kSecond / 4;
  raw.header.finalize_returned_ns = 110 * kSecond - kSecond / 4;
  const RankTimes times = fold({raw}).times;
  EXPECT_DOUBLE_EQ(times.init_s.max(), 1);
  EXPECT_DOUBLE_EQ(times.main_s.max(), 8);
  EXPECT_DOUBLE_EQ(times.finalize_s.max(), 1);
  EXPECT_DOUBLE_EQ(times.wall_s.max(), 10);
}

TEST(Fold, RecordingsThatWereNotMadeTogetherAreRefused) {
  const RawRecording first = rank(0, 2);
  RawRecording second = rank(1, 2);
  EXPECT_EQ(fold({first, second}).health.ranks_present, 2);
  for (std::int64_t* time : {&second.header.start_ns, &second.header.init_returned_ns,
                             &second.header.finalize_entered_ns, &second.header.end_ns})
    *time += 20 * kSecond;
  EXPECT_THROW(fold({first, second}), InputError);
  second.text["host"] = {"node2"};
  EXPECT_EQ(fold({first, second}).health.ranks_present, 2)
      << "clocks of two machines cannot be compared";
}

TEST(Fold, HowRanksEndedIsToldByMpiFinalizeBeforeAllElse) {
  RawRecording left = rank(0, 1);  // ended by _exit after MPI_Finalize
  left.text["mpi_library"] = {"MPICH"};
  left.header.ending = format::Ending::kOpen;
  EXPECT_EQ(fold({left}).health.ranks_cut_off, 0);
  RawRecording killed = left;
  killed.header.finalize_entered_ns = 0;
  EXPECT_EQ(fold({killed}).health.ranks_cut_off, 1);
  EXPECT_EQ(fold({killed}).health.ranks_unfinalized, 0);
  EXPECT_EQ(fold({killed}).health.ranks_running, 0);
  RawRecording running = killed;
  running.may_be_running = true;
  EXPECT_EQ(fold({running}).health.ranks_cut_off, 1) << "the rest is missing";
  EXPECT_EQ(fold({running}).health.ranks_running, 1);
  left.may_be_running = true;
  EXPECT_EQ(fold({left}).health.ranks_running, 0) << "the measured part is complete";
  RawRecording exited = killed;
  exited.header.ending = format::Ending::kExited;
  EXPECT_EQ(fold({exited}).health.ranks_cut_off, 0);
  EXPECT_EQ(fold({exited}).health.ranks_unfinalized, 1);
  exited.text.erase("mpi_library");
  EXPECT_EQ(fold({exited}).health.ranks_unfinalized, 0) << "no MPI, nothing to finalize";
}

TEST(Fold, ATypoInProblemSizesCostsOnlyThatSize) {
  RawRecording raw = rank(0, 1);
  raw.text["params"] = {"n=1k,iter=50,=3,m=nan"};
  const RunProfile profile = fold({raw});
  EXPECT_EQ(profile.config.params, (std::map<std::string, double>{{"iter", 50}}));
  ASSERT_EQ(profile.health.notes.size(), 3u);
  EXPECT_EQ(profile.health.notes[0],
            "APMT_PARAMS 'n=1k' is not name=number: this problem size is not stored");
}

TEST(Fold, ThreadsThatWorkAreListedWithTheirTimes) {
  RawRecording raw = rank(0, 1);
  raw.threads = {thread(8, 8000), thread(6, 6000), thread(0.001, 1)};
  const std::vector<ThreadRow> threads = fold({raw}).threads;
  ASSERT_EQ(threads.size(), 2u) << "a helper that did next to nothing is left out";
  EXPECT_DOUBLE_EQ(threads[0].cpu_s, 8);
  EXPECT_DOUBLE_EQ(threads[1].cpu_s, 6);
  EXPECT_DOUBLE_EQ(threads[1].wall_s, 8);
  EXPECT_EQ(threads[1].samples, 6000u);
  EXPECT_FALSE(threads[0].cycles.has_value()) << "a clock does not count cycles";
}

TEST(Fold, AThreadThatWasCutOffHasTheTimeOfItsSamples) {
  RawRecording raw = rank(0, 1);
  raw.header.ending = format::Ending::kOpen;
  raw.threads = {thread(0, 5000)};
  raw.threads[0].end_ns = 0;
  EXPECT_DOUBLE_EQ(fold({raw}).threads.at(0).cpu_s, 5);
}

TEST(Fold, CyclesOfEachThreadAreKept) {
  RawRecording raw = rank(0, 1);
  raw.header.sample_source = format::SampleSource::kHardware;
  raw.text["event"] = {"PAPI_TOT_CYC"};
  raw.threads = {thread(8, 8000)};
  raw.threads[0].cycles = 24000000000;
  EXPECT_DOUBLE_EQ(fold({raw}).threads.at(0).cycles.value_or(0), 24e9);
}

/// A rank whose threads counted cycles, with a period of a million.
RawRecording counted(const std::vector<format::CounterTotal>& of_threads) {
  RawRecording raw = rank(0, 1);
  raw.header.sample_source = format::SampleSource::kHardware;
  raw.text["event"] = {"PAPI_TOT_CYC"};
  for (const format::CounterTotal& total : of_threads) {
    raw.threads.push_back(thread(8, total.overflows));
    raw.threads.back().cycles = total.overflows * 1000000;
    raw.totals.push_back({{total}});
  }
  return raw;
}

TEST(Totals, SamplesThatAccountForTheirCounterAreNoNews) {
  const RunProfile profile = fold({counted({{100900000, 100, 0}, {50100000, 50, 0}})});
  ASSERT_EQ(profile.sampling.totals.size(), 1u);
  EXPECT_EQ(profile.sampling.totals[0].event, "PAPI_TOT_CYC");
  EXPECT_EQ(profile.sampling.totals[0].counted, 151000000);
  EXPECT_EQ(profile.sampling.totals[0].intervals, 151);
  EXPECT_NEAR(profile.sampling.totals[0].sampled_share, 150.0 / 151, 1e-12);
  EXPECT_EQ(profile.threads.at(1).cycles, 50100000) << "the counter is more exact than its samples";
  EXPECT_NEAR(profile.threads.at(1).sampled_share.value_or(0), 50 / 50.1, 1e-12);
  EXPECT_THAT(profile.health.notes, IsEmpty());
}

TEST(Totals, LostOverflowsAreSaid) {
  const RunProfile profile = fold({counted({{300000000, 10, 0}})});
  EXPECT_NEAR(profile.sampling.totals.at(0).sampled_share, 1.0 / 30, 1e-12);
  EXPECT_THAT(profile.health.notes, Contains("samples account for 3 % of PAPI_TOT_CYC: lower the "
                                             "rate (--interval)"));
}

TEST(Totals, WhatACounterDidNotCountWhileTheKernelStoppedItIsLostToo) {
  // The operating system's kernel stopped the counter for half of the eight seconds. In that half,
  // the counter would have counted as many cycles again.
  const RunProfile profile = fold({counted({{100000000, 100, 4000000000}})});
  EXPECT_NEAR(profile.sampling.totals.at(0).sampled_share, 0.5, 1e-9);
  EXPECT_THAT(profile.health.notes, Contains(HasSubstr("50 % of PAPI_TOT_CYC: lower")));
}

TEST(Totals, ThreadsTooShortForAnIntervalNeedAShorterOne) {
  const RunProfile profile =
      fold({counted(std::vector<format::CounterTotal>(200, {900000, 0, 0}))});
  EXPECT_THAT(profile.health.notes,
              Contains(AllOf(HasSubstr("0 % of PAPI_TOT_CYC"), HasSubstr("raise the rate"))));
}

TEST(Totals, AFewPeriodsAreNoRate) {
  EXPECT_THAT(fold({counted({{5900000, 5, 0}})}).health.notes, IsEmpty());
}

TEST(Totals, ARecordingWithoutThemSaysNothing) {
  RawRecording raw = counted({{300000000, 10, 0}});
  raw.totals.clear();
  const RunProfile profile = fold({raw});
  EXPECT_THAT(profile.sampling.totals, IsEmpty());
  EXPECT_FALSE(profile.threads.at(0).sampled_share.has_value());
  EXPECT_EQ(profile.threads.at(0).cycles, 10000000);
  EXPECT_THAT(profile.health.notes, IsEmpty());
}

TEST(Fold, HandlerAndDeliveryAreToldApart) {
  RawRecording first = rank(0, 2);
  first.header.sample_cost_ns = 3000;
  first.header.handler_cost_ns = 1000;
  first.header.call_cost_ns = 80;
  first.header.handler_calls = 100;
  first.header.handler_ns = 50000;
  RawRecording second = first;
  second.header.world_rank = 1;
  second.header.sample_cost_ns = 5000;
  second.header.handler_calls = 300;
  second.header.handler_ns = 250000;
  const OwnCost cost = fold({first, second}).own_cost;
  EXPECT_DOUBLE_EQ(cost.sample_s.value_or(0), 4e-6);
  EXPECT_DOUBLE_EQ(cost.handler_s.value_or(0), 1e-6);
  EXPECT_DOUBLE_EQ(cost.delivery_s.value_or(0), 3e-6);
  EXPECT_DOUBLE_EQ(cost.handler_in_run_s.value_or(0), 300000e-9 / 400);
  EXPECT_DOUBLE_EQ(cost.mpi_call_s.value_or(0), 80e-9);
  first.header.sample_source = format::SampleSource::kNone;
  first.header.world_size = 1;
  EXPECT_FALSE(fold({first}).own_cost.sample_s.has_value()) << "unknown, not zero";
}

TEST(Fold, OwnCostIsThatOfSignalsAndCallsHoweverManySamplesTheyBrought) {
  RawRecording raw = rank(0, 1);
  raw.header.sample_cost_ns = 20000;
  raw.header.call_cost_ns = 100;
  raw.header.handler_calls = 2500;
  raw.threads = {thread(8, 10000)};
  raw.calls.push_back({});
  raw.calls.back().calls = 1000000;
  EXPECT_DOUBLE_EQ(fold({raw}).health.overhead_fraction, (2500 * 20e-6 + 1e6 * 100e-9) / 10);
  raw.header.task_clock_us = 10000;
  EXPECT_DOUBLE_EQ(fold({raw}).health.overhead_fraction, (2500 * 20e-6 + 1e6 * 100e-9 + 0.01) / 10);
  EXPECT_FALSE(fold({raw}).own_cost.task_clock_s.has_value());
  raw.header.sample_source = format::SampleSource::kTaskClock;
  raw.text["task_clock_cost_ns"] = {"12500"};
  EXPECT_DOUBLE_EQ(fold({raw}).own_cost.task_clock_s.value_or(0), 12.5e-6);
}

TEST(Fold, TheBuildIdIsThatOfTheExecutableWithOrWithoutSamples) {
  RawRecording raw = rank(0, 1);
  EXPECT_EQ(fold({raw}).build_id, "");
  raw.modules.push_back({0x1000, 0x2000, 0, "/lib/libapp.so", "aa", false});
  EXPECT_EQ(fold({raw}).build_id, "");
  raw.modules.push_back({0x3000, 0x4000, 0, "/bin/app", "bb", false});
  const RunProfile run = fold({raw});
  EXPECT_EQ(run.build_id, "bb");
  EXPECT_THAT(run.kernels, IsEmpty());
}

TEST(Fold, LibrariesThatTookPartAreNamed) {
  RawRecording raw = rank(0, 1);
  raw.text["libc"] = {"glibc 2.36"};
  EXPECT_EQ(fold({raw}).libraries, (Libraries{{"libc", "glibc 2.36"}}));
  raw.text["papi"] = {"7.0.0.0"};
  EXPECT_EQ(fold({raw}).libraries.at("papi"), "7.0.0.0");
}

}  // namespace
}  // namespace apmt
