// Tests of the track record, which groups and sums up forecasts.

#include "service/track_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apmt::service {
namespace {

Forecast forecast(double factor, double predicted_s, double measured_s, bool is_covered,
                  bool is_repeat = false) {
  Forecast f;
  f.factor = factor;
  f.predicted_s = predicted_s;
  f.measured_s = measured_s;
  f.is_covered = is_covered;
  f.is_repeat = is_repeat;
  return f;
}

TEST(TrackRecord, KeepsRepeatsApartFromExtrapolations) {
  const TrackRecord record =
      track_record({forecast(1, 1.0, 1.0, true, true), forecast(1, 1.0, 1.0, true, true),
                    forecast(2, 1.5, 1.0, false), forecast(0.5, 1.1, 1.0, true)});
  ASSERT_EQ(record.groups.size(), 3u);
  EXPECT_EQ(record.groups[0].kind, "repeat");
  EXPECT_EQ(record.groups[0].forecasts, 2);
  EXPECT_EQ(record.groups[1].kind, "inside");
  EXPECT_EQ(record.groups[2].kind, "extrapolation");
  EXPECT_EQ(record.groups[2].covered, 0);
  EXPECT_DOUBLE_EQ(record.groups[2].median_error, 0.5);
}

TEST(TrackRecord, GroupsExtrapolationsByFactor) {
  std::vector<Forecast> forecasts;
  for (const double factor : {1.5, 2.0, 2.5, 4.0, 8.0, 9.0, 100.0})
    forecasts.push_back(forecast(factor, 0.9, 1.0, true));
  const TrackRecord record = track_record(forecasts);
  ASSERT_EQ(record.groups.size(), 4u);
  std::vector<int> counts;
  for (const TrackGroup& group : record.groups) counts.push_back(group.forecasts);
  EXPECT_EQ(counts, (std::vector<int>{2, 2, 1, 2}));
  EXPECT_EQ(words(record.groups[0]), "1 to 2 times the largest fitted count");
  EXPECT_EQ(words(record.groups[3]), "more than 8 times the largest fitted count");
}

TEST(TrackRecord, ComparesClaimedAndObservedCoverage) {
  std::vector<Forecast> forecasts;
  for (int i = 0; i < 10; ++i) forecasts.push_back(forecast(3, 1 + 0.01 * i, 1, i < 7));
  forecasts.push_back({});  // not measured
  const TrackRecord record = track_record(forecasts);
  EXPECT_EQ(record.unmeasured, 1);
  const TrackGroup& group = record.groups.at(0);
  EXPECT_EQ(group.forecasts, 10);
  EXPECT_EQ(group.covered, 7);
  EXPECT_DOUBLE_EQ(group.claimed, 0.8);
  EXPECT_NEAR(group.median_error, 0.045, 1e-12);
  EXPECT_NEAR(group.worst_error, 0.09, 1e-12);
  EXPECT_DOUBLE_EQ(to_json(record)["groups"][0]["observed_coverage"].get<double>(), 0.7);
}

TEST(TrackRecord, OfNothingIsEmpty) { EXPECT_TRUE(track_record({}).groups.empty()); }

}  // namespace
}  // namespace apmt::service
