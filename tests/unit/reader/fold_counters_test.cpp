// Tests of computing the metrics of kernels from samples of events: events alone and combined, and
// ranks that counted different events.
#include "profiler/reader/fold_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apmt {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A rank that counted these events in 2 s of CPU time at 1 GHz, each with a period of 1000.
RawRecording rank(const std::vector<std::string>& events, const std::string& metrics = "") {
  RawRecording raw;
  raw.header.sample_source = format::SampleSource::kHardware;
  raw.header.event_count = static_cast<std::uint32_t>(events.size());
  raw.header.main_cpu_ns = raw.header.main_user_ns = 2000000000;
  for (std::size_t e = 0; e < events.size(); ++e) raw.header.events[e].period = 1000;
  raw.text["event"] = events;
  raw.text["cycles_per_second"] = {"1000000000"};
  if (!metrics.empty()) raw.text["metrics"] = {metrics};
  format::Sample all{};
  all.key = format::sample_key(0x1000, 0, format::Stage::kMain);
  all.counts[0] = 2000000;  // index 0: cycles
  raw.samples = {all};
  return raw;
}

EventCounts counts(const std::vector<std::vector<std::uint64_t>>& by_rank) {
  EventCounts out(by_rank.size());
  for (std::size_t r = 0; r < by_rank.size(); ++r)
    std::copy(by_rank[r].begin(), by_rank[r].end(), out[r].begin());
  return out;
}

TEST(Metrics, EventsKeepTheirNamesWithoutAFormula) {
  const Metrics metrics({rank({"PAPI_TOT_CYC", "PAPI_TOT_INS", "skx::SOME_EVENT:X"})});
  const auto c = metrics.counters(counts({{100, 50, 7}}));
  EXPECT_EQ(c.at("cycles").total(), 100000);
  EXPECT_EQ(c.at("instructions").total(), 50000);
  EXPECT_EQ(c.at("skx::some_event:x").total(), 7000);
  EXPECT_NEAR(c.at("cpu_s").total(), 100000 * 1e-9, 1e-12);
}

TEST(Metrics, EachRankHasAFrequencyOfItsOwn) {
  std::vector<RawRecording> ranks(3, rank({"PAPI_TOT_CYC"}));
  ranks[1].header.main_user_ns = 2500000000;  // the same number of cycles in more time
  ranks[2].header.sample_source = format::SampleSource::kPosixTimer;
  const Metrics metrics(ranks);
  EXPECT_NEAR(metrics.frequency_hz().value(), 4 / 4.5 * 1e9, 1);
  EXPECT_THAT(metrics.rank_frequencies_hz(), ElementsAre(1e9, 0.8e9, 0));
}

TEST(Metrics, AFormulaOfOneEventIsThatEvent) {
  const Metrics metrics({rank({"PAPI_TOT_CYC", "skx::MEM:L3_HIT"}, "hit_LLC=+skx::MEM:L3_HIT")});
  const auto c = metrics.counters(counts({{100, 7}}));
  EXPECT_THAT(c.at("hit_LLC").samples, ElementsAre(7));
  EXPECT_EQ(c.at("hit_LLC").provenance, Provenance::kHardware);
  EXPECT_EQ(c.at("hit_LLC").event, "skx::MEM:L3_HIT");
  EXPECT_FALSE(c.contains("skx::mem:l3_hit")) << "the metric replaces the event";
  EXPECT_TRUE(c.contains("cycles"));
}

TEST(Metrics, ADifferenceIsAsUncertainAsItsTerms) {
  const Metrics metrics({rank({"PAPI_TOT_CYC", "A", "B"}, "hit_L1=+A-B"),
                         rank({"PAPI_TOT_CYC", "A", "B"}, "hit_L1=+A-B")});
  const auto c = metrics.counters(counts({{100, 500, 400}, {100, 500, 100}}));
  const Counter& hits = c.at("hit_L1");
  EXPECT_EQ(hits.provenance, Provenance::kDerived);
  EXPECT_EQ(hits.event, "A - B");
  // A has 1000 samples and B 500. Their difference is 500 samples, but has the error of 1500
  // samples: sigma = sqrt(1500).
  EXPECT_NEAR(hits.total(), 500e3, 1e3);
  EXPECT_NEAR(static_cast<double>(hits.total_samples()), 500.0 * 500 / 1500, 1);
  EXPECT_NEAR(hits.rank_value(0), 100e3, 3e3);
  EXPECT_NEAR(hits.rank_value(1), 400e3, 3e3);
}

TEST(Metrics, ADifferenceIsNeverNegative) {
  const Metrics metrics({rank({"PAPI_TOT_CYC", "A", "B"}, "hit_L1=+A-B")});
  const Counter hits = metrics.counters(counts({{100, 10, 12}})).at("hit_L1");
  EXPECT_EQ(hits.total(), 0);
  EXPECT_EQ(hits.unit_per_sample, 1000);
}

TEST(Metrics, WithoutOneOfItsEventsAMetricIsAbsent) {
  const Metrics metrics({rank({"PAPI_TOT_CYC", "A"}, "hit_L1=+A-B,cycles=+PAPI_TOT_CYC")});
  const auto c = metrics.counters(counts({{100, 500}}));
  EXPECT_FALSE(c.contains("hit_L1"));
  EXPECT_TRUE(c.contains("a")) << "no metric uses this event";
  EXPECT_EQ(c.at("cycles").total(), 100000);
}

TEST(Metrics, TheFirstFormulaOfAMetricIsUsedWhoseEventsWereCounted) {
  const char* const formulas = "stall=+A,stall=+B";
  const auto both =
      Metrics({rank({"PAPI_TOT_CYC", "A", "B"}, formulas)}).counters(counts({{100, 5, 7}}));
  const auto second = Metrics({rank({"PAPI_TOT_CYC", "B"}, formulas)}).counters(counts({{100, 7}}));
  EXPECT_EQ(both.at("stall").total() * 7, second.at("stall").total() * 5);
  EXPECT_FALSE(both.contains("b"));
}

TEST(Metrics, WhatOneRankCountedIsSpreadByTime) {
  const Metrics metrics({rank({"PAPI_TOT_CYC", "A"}), rank({"PAPI_TOT_CYC", "B"})});
  const auto c = metrics.counters(counts({{100, 10}, {300, 30}}));
  EXPECT_NEAR(c.at("a").total(), 40e3, 1);
  EXPECT_NEAR(c.at("b").total(), 40e3, 1);
  EXPECT_EQ(c.at("a").total_samples(), 10u) << "as uncertain as the counted events";
  EXPECT_EQ(c.at("b").provenance, Provenance::kDerived);
  EXPECT_THAT(metrics.notes(), testing::Contains(HasSubstr("1 of 2 ranks")));
}

TEST(TimeSlices, CountsAreScaledByTheTimeTheirSliceHadAndMarked) {
  RawRecording raw = rank({"PAPI_TOT_CYC", "A", "B"}, "meant=+A,difference=+B-A");
  raw.header.events[1].slice = 1;
  raw.header.events[2].slice = 2;
  raw.header.slice_samples[0] = 300;
  raw.header.slice_samples[1] = 100;
  const Metrics metrics({raw});
  const auto c = metrics.counters(counts({{100, 60, 30}}));
  EXPECT_DOUBLE_EQ(c.at("cycles").total(), 100000) << "counted all the time";
  EXPECT_EQ(c.at("cycles").measured_fraction, 1);
  EXPECT_DOUBLE_EQ(c.at("meant").total(), 80000);
  EXPECT_EQ(c.at("meant").total_samples(), 60u) << "as uncertain as the samples that were taken";
  EXPECT_EQ(c.at("meant").measured_fraction, 0.75);
  EXPECT_EQ(c.at("meant").provenance, Provenance::kDerived);
  EXPECT_EQ(c.at("difference").measured_fraction, 0.25);
  EXPECT_NEAR(c.at("difference").total(), 40000, 15000);
  EXPECT_THAT(metrics.notes(), ElementsAre(AllOf(HasSubstr("scaled"), HasSubstr("a, b"),
                                                 HasSubstr("25 % of the time"))));
}

TEST(TimeSlices, LessThanAQuarterOfTheTimeIsRejected) {
  RawRecording raw = rank({"PAPI_TOT_CYC", "A", "B"}, "meant=+B");
  raw.header.events[1].slice = 1;
  raw.header.events[2].slice = 2;
  raw.header.slice_samples[0] = 301;
  raw.header.slice_samples[1] = 99;
  const Metrics metrics({raw});
  const auto c = metrics.counters(counts({{100, 60, 30}}));
  EXPECT_TRUE(c.contains("a"));
  EXPECT_FALSE(c.contains("b"));
  EXPECT_FALSE(c.contains("meant"));
  EXPECT_THAT(metrics.notes(), Contains(AllOf(HasSubstr("b is not measured"), HasSubstr("25 %"))));
}

TEST(TimeSlices, ARankThatHadTooLittleIsEstimatedByItsTime) {
  RawRecording enough = rank({"PAPI_TOT_CYC", "A"});
  enough.header.events[1].slice = 1;
  enough.header.slice_samples[0] = enough.header.slice_samples[1] = 50;
  RawRecording little = enough;
  little.header.slice_samples[1] = 1000;
  const auto c = Metrics({enough, little}).counters(counts({{100, 10}, {200, 1}}));
  EXPECT_NEAR(c.at("a").rank_value(0), 20000, 3000);
  EXPECT_NEAR(c.at("a").rank_value(1), 40000, 6000);
}

TEST(TimeSlices, WithoutASampleNothingIsKnown) {
  RawRecording raw = rank({"PAPI_TOT_CYC", "A"});
  raw.header.events[1].slice = 1;
  EXPECT_FALSE(Metrics({raw}).counters(counts({{0, 0}})).contains("a"));
}

}  // namespace
}  // namespace apmt
