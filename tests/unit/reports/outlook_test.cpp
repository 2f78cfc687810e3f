#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/outlook_text.h"

namespace apmt {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

Outlook example() {
  Outlook o;
  o.from_procs = 2;
  o.to_procs = 8000;
  o.half_efficiency = {48, 48, 48};
  o.verdicts = {{"compute+memory", {2, 2, 2}}, {"communication", {49, 49, 49}}};
  o.fastest = {{{177, 177, 177}, 2.23, 0.1096}};
  return o;
}

TEST(OutlookText, SaysWhereScalingEnds) {
  EXPECT_THAT(
      outlook_sentences(example()),
      ElementsAre("Efficiency falls below 50 % at about 48 processes.",
                  "Bound by computation or memory; from about 49 processes by communication.",
                  "Shortest time: 2.23 s at about 177 processes, which costs 0.110 "
                  "core-hours (cores times hours); more processes "
                  "make it slower."));
}

TEST(OutlookText, CountsHaveTheirIntervals) {
  Outlook o = example();
  o.half_efficiency = {36, 30, 44};
  o.verdicts[1].from = {49, 40, std::nullopt};
  o.fastest->procs = {177, 120, 8000};
  EXPECT_THAT(
      outlook_sentences(o),
      ElementsAre(
          "Efficiency falls below 50 % at about 36 processes (30 to 44, 80 %).",
          "Bound by computation or memory; from about 49 processes (40 or more, 80 %) by "
          "communication.",
          "The time stops falling somewhere between 120 and 8000 processes (80 %); the shortest "
          "is 2.23 s."));
}

TEST(OutlookText, IntervalsSayTheirConfidence) {
  Outlook o = example();
  o.half_efficiency = {36, 30, 44};
  o.confidence = 0.95;
  EXPECT_THAT(outlook_sentences(o).front(), HasSubstr("(30 to 44, 95 %)"));
}

TEST(OutlookText, SaysWhenMoreProcessesGainLittle) {
  Outlook o = example();
  o.from_time_s = 2.3;
  EXPECT_EQ(
      outlook_sentences(o).back(),
      "More processes gain little or nothing: the shortest time is 2.23 s at about 177 processes, "
      "against 2.30 s with 2.");
  o.from_time_s = 30;
  EXPECT_THAT(outlook_sentences(o).back(), HasSubstr("Shortest time"));
}

TEST(OutlookText, DeadlineKeptOrNot) {
  Outlook o = example();
  o.deadline_s = 3;
  EXPECT_EQ(outlook_sentences(o).back(), "No process count meets the deadline of 3.00 s.");
  o.cheapest = {{{38, 38, 38}, 2.99, 0.0316}};
  EXPECT_EQ(outlook_sentences(o).back(),
            "Fewest core-hours within 3.00 s: 0.0316 core-hours on 38 processes, in 2.99 s.");
  o.fastest.reset();
  EXPECT_THAT(outlook_sentences(o).back(), HasSubstr("the problem grows with the process count"));
}

TEST(OutlookText, NothingIsSaidWhereNothingIsKnown) {
  Outlook o;
  o.why_not = "parts of the time are missing";
  EXPECT_THAT(outlook_sentences(o),
              ElementsAre("How far it scales is unknown: parts of the time are missing."));
}

TEST(OutlookText, WithoutAnEnd) {
  Outlook o = example();
  o.half_efficiency.reset();
  o.verdicts.resize(1);
  o.still_falling = true;
  o.fastest = {{{8000, 8000, 8000}, 0.1, 0.2}};
  EXPECT_THAT(
      outlook_sentences(o),
      ElementsAre("Efficiency stays above 50 % from 2 to 8000 processes.",
                  "Bound by computation or memory at every count up to 8000 processes.",
                  "The time is still falling at 8000 processes, the largest count examined."));
  EXPECT_THAT(render_outlook_text(outlook_sentences(o)),
              HasSubstr("\nHow far it scales\n  Efficiency stays"));
}

Prediction wide(double low_of_waiting) {
  Prediction p;
  p.procs = 256;
  p.time = {.time_s = 10, .low_s = 8, .high_s = 13};
  p.is_undivided = true;
  p.parts.comp = TimeEstimate{.time_s = 6, .low_s = 5.9, .high_s = 6.2};
  p.parts.comm_wait = TimeEstimate{.time_s = 4, .low_s = low_of_waiting, .high_s = 6};
  return p;
}

TEST(OutlookText, NamesThePartThatMakesTheIntervalWideAndTheRunThatHelps) {
  EXPECT_THAT(interval_sentences({}, wide(2), {{}, NarrowingRun{128, 3, 1.25, 0.42}, {}, 128}),
              ElementsAre("The interval at 256 processes is 50 % of the time wide, mostly because "
                          "of waiting in MPI (2.00 to 6.00 s). 3 runs on 128 processes (1.25 "
                          "core-hours) would narrow it by about 42 %; apmt refine --plan compares "
                          "others."));
  EXPECT_THAT(interval_sentences({}, wide(5.8), {}),
              ElementsAre(HasSubstr("because of compute+memory (5.90 to 6.20 s) and of waiting")));
}

TEST(OutlookText, NoPartIsNamedIfOnlyTotalsAreKnown) {
  Model totals;
  totals.grade = Grade::kD;
  EXPECT_THAT(interval_sentences(totals, wide(2), {}),
              ElementsAre("The interval at 256 processes is 50 % of the time wide."));
}

TEST(OutlookText, SaysIfNoRunHelps) {
  EXPECT_THAT(interval_sentences({}, wide(2), {{}, {}, {}, 128}),
              ElementsAre(EndsWith(" of waiting in MPI (2.00 to 6.00 s). Further runs on up to 128 "
                                   "processes would narrow it by less than 10 %.")));
  EXPECT_THAT(interval_sentences({}, wide(2), {}), ElementsAre(EndsWith("(2.00 to 6.00 s).")))
      << "for a what-if, none are looked for";
}

TEST(OutlookText, ANarrowIntervalNeedsNoReason) {
  Prediction p = wide(2);
  p.time = {.time_s = 10, .low_s = 9.9, .high_s = 10.1};
  EXPECT_THAT(interval_sentences({}, p, {}), testing::IsEmpty());
}

}  // namespace
}  // namespace apmt
