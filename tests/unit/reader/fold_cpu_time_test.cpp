// Tests of comparing the samples of a clock with the CPU clocks of threads.
#include "profiler/reader/fold_cpu_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/reader/fold.h"
#include "profiler/reader/fold_counters.h"

namespace apmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kPeriodNs = 1000000;

/// A rank whose samples stand for these times outside and inside MPI.
RawRecording rank(std::uint64_t outside_ms, std::uint64_t inside_ms) {
  RawRecording raw;
  raw.file = "rank";
  raw.header.sample_source = format::SampleSource::kTaskClock;
  raw.header.ending = format::Ending::kExited;
  raw.header.event_count = 1;
  raw.header.events[0].period = kPeriodNs;
  raw.header.squares_column = format::kSquaresColumn;
  raw.header.world_size = 1;
  raw.text["event"] = {"PERF_COUNT_SW_TASK_CLOCK"};
  format::Sample outside{}, inside{};
  outside.key = format::sample_key(0x1000, 0, format::Stage::kMain);
  outside.counts[0] = outside_ms;
  outside.counts[format::kSquaresColumn] = 4 * outside_ms;
  inside.key = format::sample_key(0x2000, 1, format::Stage::kMain);
  inside.counts[0] = inside_ms;
  raw.samples = {outside, inside};
  return raw;
}

void add_thread(RawRecording* raw, std::int64_t cpu_ms, std::uint64_t samples,
                bool sampled = true) {
  raw->threads.push_back({});
  raw->threads.back().samples = samples;
  format::MainTime main{};
  main.cpu_ns = cpu_ms * 1000000;
  main.samples = samples;
  main.is_sampled = sampled ? 1 : 0;
  raw->main_times.push_back(main);
}

std::vector<std::string> notes_of(const std::vector<RawRecording>& ranks) {
  RunProfile profile;
  note_cpu_times(ranks, &profile);
  return profile.health.notes;
}
std::vector<std::string> notes_of(const RawRecording& raw) { return notes_of(std::vector{raw}); }

/// A rank that used `cpu_ms` of CPU time, while its samples stand for `sampled_ms`.
RawRecording rank_off(std::int64_t cpu_ms, std::uint64_t sampled_ms) {
  RawRecording raw = rank(sampled_ms, 0);
  add_thread(&raw, cpu_ms, sampled_ms);
  return raw;
}

TEST(CpuTime, SamplesThatAreTooFewOrTooManyAreScaledToTheClocks) {
  for (const std::int64_t cpu_ms : {250, 1000, 4000}) {
    RawRecording raw = rank(600, 400);
    add_thread(&raw, cpu_ms, 1000);
    const double factor = static_cast<double>(cpu_ms) / 1000;
    EXPECT_DOUBLE_EQ(cpu_time_factor(raw), factor);
    const Metrics metrics({raw});
    EventCounts counts(1);
    counts[0][0] = 600;
    const Counter time = metrics.counters(counts).at("cpu_s");
    EXPECT_THAT(time.samples, ElementsAre(600)) << "the raw counts are kept";
    EXPECT_DOUBLE_EQ(time.total(), 0.6 * factor);
    EXPECT_DOUBLE_EQ(metrics.seconds(counts[0], 0), 0.6 * factor);
    if (cpu_ms == 1000)
      EXPECT_THAT(notes_of(raw), IsEmpty());
    else
      EXPECT_THAT(notes_of(raw), ElementsAre(HasSubstr("the times of functions are scaled")));
  }
}

TEST(CpuTime, WhatIsMoreThanThreePercentOffIsNoted) {
  for (const std::uint64_t near_ms : {9705, 10000, 10295})
    EXPECT_THAT(notes_of(rank_off(10000, near_ms)), IsEmpty()) << near_ms;
  EXPECT_THAT(notes_of(rank_off(10000, 9690)), ElementsAre(HasSubstr("samples stand for 97 %")));
  EXPECT_THAT(notes_of(rank_off(10000, 10310)), ElementsAre(HasSubstr("samples stand for 103 %")));
  EXPECT_THAT(notes_of(rank_off(100, 51)), IsEmpty()) << "49 ms: ticks come a little late";
  EXPECT_THAT(notes_of(rank_off(100, 49)), ElementsAre(HasSubstr("samples stand for 49 %")));
}

TEST(CpuTime, NotesNameTheRanksAndTheRealRange) {
  const RawRecording half = rank_off(1000, 500);
  const RawRecording most = rank_off(1000, 800);
  const RawRecording right = rank_off(1000, 1000);
  EXPECT_THAT(notes_of(half),
              ElementsAre(HasSubstr("on the only rank samples stand for 50 % of the CPU time")));
  EXPECT_THAT(notes_of({half, most}),
              ElementsAre(HasSubstr("on all 2 ranks samples stand for 50 to 80 % of the CPU")));
  EXPECT_THAT(notes_of({half, right, rank_off(1000, 1200)}),
              ElementsAre(HasSubstr("on 2 of 3 ranks samples stand for 50 to 120 % of the CPU")));
  EXPECT_THAT(notes_of({rank_off(1000, 1200), rank_off(1000, 1500)}),
              ElementsAre(HasSubstr("on all 2 ranks samples stand for 120 to 150 % of the CPU")));
}

TEST(CpuTime, TheClocksOnTheWayIntoMpiAndOutOfItDecideWhatIsComputation) {
  RawRecording raw = rank(300, 700);
  add_thread(&raw, 1000, 1000);
  raw.main_times[0].split_ns[0] = 150000000;
  raw.main_times[0].split_ns[1] = 850000000;
  raw.main_times[0].split_samples[0] = 300;
  raw.main_times[0].split_samples[1] = 700;
  EXPECT_DOUBLE_EQ(cpu_time_factor(raw), 0.5);
  // In the second half of the run, clocks separated the CPU time in computation from that in MPI.
  // For the first half, the samples are used.
  raw.samples[0].counts[0] = 500;
  raw.samples[1].counts[0] = 1500;
  raw.main_times[0].samples = 2000;
  raw.main_times[0].cpu_ns = 2000000000;
  EXPECT_DOUBLE_EQ(cpu_time_factor(raw), (0.150 + 0.200) / 0.500);
}

TEST(CpuTime, SamplesSinceTheLastLookAtTheClocksAreNotScaledByARoundingError) {
  for (std::uint64_t outside = 20; outside < 80; ++outside) {
    RawRecording raw = rank(outside + 5, 100 - outside);  // five samples after the last look
    raw.header.ending = format::Ending::kOpen;
    add_thread(&raw, 120, 100);
    raw.main_times[0].split_ns[0] = outside * 1000000;
    raw.main_times[0].split_ns[1] = (100 - outside) * 1000000;
    raw.main_times[0].split_samples[0] = outside;
    raw.main_times[0].split_samples[1] = 100 - outside;
    EXPECT_NEAR(cpu_time_factor(raw), 1, 1e-9) << outside;
  }
}

TEST(CpuTime, WhatCannotBeHeldStaysAsItIs) {
  RawRecording old = rank(600, 400);
  EXPECT_EQ(cpu_time_factor(old), 1);
  add_thread(&old, 500, 1000, false);
  EXPECT_EQ(cpu_time_factor(old), 1) << "a thread without samples is not compared";
  RawRecording hardware = rank(600, 400);
  hardware.header.sample_source = format::SampleSource::kHardware;
  add_thread(&hardware, 500, 1000);
  EXPECT_EQ(cpu_time_factor(hardware), 1);
  RawRecording none = rank(0, 0);
  add_thread(&none, 500, 0);
  EXPECT_EQ(cpu_time_factor(none), 1);
}

TEST(CpuTime, ThreadsForWhichTheFactorIsWrongAndThoseThatWereNotSampledAreNoted) {
  RawRecording raw = rank(2000, 0);
  add_thread(&raw, 1000, 1500);
  add_thread(&raw, 1000, 500);
  add_thread(&raw, 700, 0, false);
  EXPECT_EQ(cpu_time_factor(raw), 1);
  EXPECT_THAT(
      notes_of(raw),
      ElementsAre(HasSubstr("2 threads have more or fewer samples than the CPU time shows, by "
                            "up to 50 %"),
                  HasSubstr("1 thread that was not sampled used 0.7 s")));
}

TEST(CpuTime, SamplesThatOneSignalBroughtAreOneObservation) {
  const Metrics metrics({rank(600, 400)});
  EventCounts counts(1);
  counts[0][0] = 600;
  counts[0][format::kSquaresColumn] = 2400;  // each signal brought four samples
  const Counter time = metrics.counters(counts).at("cpu_s");
  EXPECT_THAT(time.squares, ElementsAre(2400));
  EXPECT_DOUBLE_EQ(time.independent_samples(), 150);
  Counter each = time;
  each.squares.clear();
  EXPECT_DOUBLE_EQ(each.independent_samples(), 600);
}

RunProfile folded(std::int64_t process_cpu_s, std::int64_t init_entered_s) {
  RawRecording raw = rank(600, 400);
  format::Header& h = raw.header;
  h.start_ns = 1;
  h.init_entered_ns = 1 + init_entered_s * 1000000000;
  h.init_returned_ns = h.init_entered_ns + 1;
  h.end_ns = 1 + std::int64_t{10} * 1000000000;
  h.process_cpu_ns = process_cpu_s * 1000000000;
  h.handler_calls = 1000;
  h.sample_cost_ns = 100000;                       // 0.1 s in total
  h.task_clock_ns = std::uint64_t{5000000000000};  // 5,000 s: 32 bits of microseconds hold 4,295
  return fold({raw});
}

TEST(CpuTime, FewObservationsOfALongRankAreNoted) {
  RawRecording seldom = rank(600, 400);
  seldom.samples[0].counts[format::kSquaresColumn] = 600 * 60;  // ten observations, of 60 ms each
  const RawRecording often = rank(600, 400);
  RawRecording unknown = seldom;  // recorded by a version that kept no squares
  unknown.header.squares_column = 0;
  RawRecording brief = rank(60, 400);
  RunProfile profile;
  note_cpu_times({often, seldom, unknown, brief}, &profile);
  EXPECT_THAT(profile.health.notes,
              ElementsAre(HasSubstr("on 1 of 4 ranks the division of the computing time among "
                                    "functions rests on as few as 10 observations")));
}

TEST(CpuTime, OurOwnCostIsAShareOfWhatAllThreadsHad) {
  EXPECT_DOUBLE_EQ(folded(20000, 0).health.overhead_fraction, 5000.1 / 20000);
  EXPECT_DOUBLE_EQ(folded(80000, 0).health.overhead_fraction, 5000.1 / 80000);
}

TEST(CpuTime, ALongTimeBeforeMpiInitIsSaid) {
  const auto says =
      testing::Contains(HasSubstr("9 of 10 s (90 %) passed before MPI_Init was called"));
  EXPECT_THAT(folded(4, 9).health.notes, says);
  EXPECT_DOUBLE_EQ(folded(4, 9).health.before_init_s, 9);
  EXPECT_THAT(folded(4, 0).health.notes, testing::Not(says));
}

}  // namespace
}  // namespace apmt
