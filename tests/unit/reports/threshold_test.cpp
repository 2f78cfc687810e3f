#include "reports/threshold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apmt {
namespace {

using ::testing::HasSubstr;

Prediction at_1024() {
  Prediction p;
  p.procs = 1024;
  p.reference_procs = 8;
  p.time = {41, 33, 52};
  p.efficiency = 0.65;
  return p;
}

Verdict verdict(const Prediction& p, const Thresholds& thresholds) {
  const std::vector<Verdict> verdicts = check_thresholds({p}, thresholds);
  EXPECT_EQ(verdicts.size(), 1u);
  return verdicts.front();
}

TEST(Thresholds, HoldTheEstimateAgainstThem) {
  EXPECT_TRUE(verdict(at_1024(), {.max_time_s = 41}).is_met);
  EXPECT_FALSE(verdict(at_1024(), {.max_time_s = 40.9}).is_met);
  EXPECT_TRUE(verdict(at_1024(), {.min_efficiency = 0.65}).is_met);
  EXPECT_FALSE(verdict(at_1024(), {.min_efficiency = 0.66}).is_met);
}

TEST(Thresholds, SureMeansTheWorseEnd) {
  EXPECT_FALSE(verdict(at_1024(), {.max_time_s = 51, .sure = true}).is_met);
  EXPECT_TRUE(verdict(at_1024(), {.max_time_s = 52, .sure = true}).is_met);
  EXPECT_NEAR(*verdict(at_1024(), {.min_efficiency = 0.6, .sure = true}).value, 0.65 * 41 / 52,
              1e-12);
  EXPECT_FALSE(verdict(at_1024(), {.min_efficiency = 0.6, .sure = true}).is_met);
}

TEST(Thresholds, WhatIsNotKnownIsNotMet) {
  Prediction p = at_1024();
  p.missing = {"comm_p2p_s"};
  const Verdict without_messages = verdict(p, {.max_time_s = 100});
  EXPECT_FALSE(without_messages.is_met);
  EXPECT_THAT(without_messages.sentence, HasSubstr("not known: point-to-point communication"));
  p = at_1024();
  p.worthless = true;
  EXPECT_FALSE(verdict(p, {.max_time_s = 100}).is_met);
  p = at_1024();
  p.efficiency.reset();
  EXPECT_FALSE(verdict(p, {.min_efficiency = 0.1}).is_met);
}

TEST(Thresholds, WhatWasMeasuredMustMeetThem) {
  Prediction p = at_1024();
  p.measured_s = 44;
  EXPECT_TRUE(verdict(p, {.max_time_s = 44}).is_met);
  EXPECT_FALSE(verdict(p, {.max_time_s = 43}).is_met);
  EXPECT_THAT(verdict(p, {.max_time_s = 43}).sentence, HasSubstr("(measured: 44.0 s)"));
}

TEST(Thresholds, SayWhichProblemSizesTheyAreFor) {
  Prediction p = at_1024();
  p.params = {{"n", 4096}};
  const Verdict time = verdict(p, {.max_time_s = 40});
  EXPECT_THAT(time.sentence, HasSubstr("At 1024 processes (n = 4096) expect 41 s"));
  EXPECT_THAT(verdict(p, {.min_efficiency = 0.1}).sentence, HasSubstr("(n = 4096) expect"));
  EXPECT_EQ(to_json({time}, {})[0]["params"]["n"], 4096);
}

TEST(Thresholds, EachVerdictAsJsonHasTheWarnings) {
  const std::vector<Verdict> verdicts =
      check_thresholds({at_1024()}, {.max_time_s = 40, .min_efficiency = 0.1});
  const Json json = to_json(verdicts, {"the laws do not fit"});
  ASSERT_EQ(json.size(), 2u);
  for (const Json& verdict : json)
    EXPECT_EQ(verdict["warnings"], Json::array({"the laws do not fit"}));
}

TEST(Thresholds, SaysTheReason) {
  EXPECT_EQ(verdict(at_1024(), {.max_time_s = 40}).sentence,
            "At 1024 processes expect 41 s (33 to 52, 80 %), at most 40.0 s allowed: not met.");
  EXPECT_EQ(verdict(at_1024(), {.max_time_s = 50, .sure = true}).sentence,
            "At 1024 processes expect 41 s (33 to 52, 80 %), at most 50.0 s allowed at the upper "
            "end of the interval (52.0 s): not met.");
}

}  // namespace
}  // namespace apmt
