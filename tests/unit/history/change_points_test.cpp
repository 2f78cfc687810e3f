#include "history/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/unit/history/noise.h"

namespace apmt {
namespace {

constexpr std::size_t kVersions = 30;
constexpr std::size_t kSlower = 16;  // the index of the first slower version

/// The time of each version: the median of `runs` runs with 3 % of noise.
std::vector<double> series(Noise* noise, double slow_down, int runs) {
  std::vector<double> times;
  for (std::size_t v = 0; v < kVersions; ++v) {
    std::vector<double> of_one;
    for (int r = 0; r < runs; ++r)
      of_one.push_back(2.5 * (v >= kSlower ? 1 + slow_down : 1) * noise->factor());
    std::sort(of_one.begin(), of_one.end());
    times.push_back(of_one[of_one.size() / 2]);
  }
  return times;
}

struct Found {
  int any = 0;
  int slower = 0;
  int near = 0;    // within three versions of the true change
  int inside = 0;  // the interval contains the true change
};

Found found_in(int count, double slow_down, int runs, unsigned seed) {
  Noise noise(seed);
  Found found;
  for (int i = 0; i < count; ++i) {
    const std::vector<ChangePoint> changes = find_changes(series(&noise, slow_down, runs));
    found.any += !changes.empty();
    for (const ChangePoint& change : changes) {
      if (change.after <= change.before) continue;
      ++found.slower;
      found.near += change.at + 3 >= kSlower && change.at <= kSlower + 3;
      found.inside += change.earliest <= kSlower && kSlower <= change.latest;
      break;
    }
  }
  return found;
}

TEST(ChangePoints, FivePercentAreFoundInThreeRunsOfEachVersion) {
  const Found found = found_in(100, 0.05, 3, 1);
  EXPECT_GE(found.slower, 99);
  EXPECT_GE(found.near, 95);
  EXPECT_GE(found.inside, 75);
}

TEST(ChangePoints, OneRunOfEachVersionIsEnough) {
  const Found found = found_in(200, 0.05, 1, 2);
  EXPECT_GE(found.slower, 190);
}

/// The likelihood of a slow-down, divided by the likelihood of no change. It is averaged over the
/// position of the slow-down, and the noise is assumed to be known. No test can find many more
/// slow-downs than one that uses this ratio.
double with_known_noise(const std::vector<double>& times) {
  double sum = 0;
  for (const double t : times) sum += std::log(t / 2.5);
  const double n = static_cast<double>(times.size());
  double before = 0;
  double total = 0;
  for (std::size_t k = 1; k + 2 <= times.size(); ++k) {
    before += std::log(times[k - 1] / 2.5);
    const double left = static_cast<double>(k);
    const double step = (sum - before) / (n - left) - before / left;
    const double z2 = step * step * left * (n - left) / n / (0.03 * 0.03);
    if (k >= 2) total += (step > 0 ? 3 : 1) * std::exp(z2 / 2);
  }
  return total;
}

TEST(ChangePoints, KnowingTheNoiseFindsLittleMore) {
  Noise noise(6);
  std::vector<double> unchanged;
  for (int i = 0; i < 20000; ++i) unchanged.push_back(with_known_noise(series(&noise, 0, 1)));
  std::sort(unchanged.begin(), unchanged.end());
  const double limit = unchanged[unchanged.size() * 95 / 100];
  int found = 0;
  for (int i = 0; i < 10000; ++i) found += with_known_noise(series(&noise, 0.05, 1)) > limit;
  std::printf("with known noise, %.1f %% are found\n", found / 100.0);
  EXPECT_GT(found, 9750);
  EXPECT_LT(found, 9920);
}

TEST(ChangePoints, WithoutAChangeNothingIsSaid) {
  EXPECT_LE(found_in(100, 0, 1, 3).any, 5);
  EXPECT_LE(found_in(100, 0, 3, 4).any, 5);
}

TEST(ChangePoints, TwoChangesAreTwo) {
  std::vector<double> times;
  for (int i = 0; i < 24; ++i)
    times.push_back((i < 8 ? 1.0 : i < 16 ? 1.2 : 0.9) * (i % 2 == 0 ? 1.002 : 0.998));
  const std::vector<ChangePoint> changes = find_changes(times);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].at, 8u);
  EXPECT_EQ(changes[1].at, 16u);
  EXPECT_NEAR(changes[0].change(), 0.2, 0.01);
  EXPECT_NEAR(changes[1].change(), -0.25, 0.01);
  EXPECT_LE(changes[0].earliest, 8u);
  EXPECT_GE(changes[0].latest, 8u);
}

TEST(ChangePoints, ExactSeriesHaveExactAnswers) {
  std::vector<double> times(12, 3.0);
  EXPECT_TRUE(find_changes(times).empty());
  for (std::size_t i = 7; i < 12; ++i) times[i] = 4.5;
  const std::vector<ChangePoint> changes = find_changes(times);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].at, 7u);
  EXPECT_NEAR(changes[0].change(), 0.5, 1e-12);
}

TEST(ChangePoints, SmallOnesAndFewVersionsAreNoOnesConcern) {
  std::vector<double> times(20, 1.0);
  for (std::size_t i = 10; i < 20; ++i) times[i] = 1.005;
  EXPECT_TRUE(find_changes(times).empty());
  EXPECT_EQ(find_changes(times, {.level = 0.05, .least_change = 0.004}).size(), 1u);
  EXPECT_TRUE(find_changes({1, 1, 2, 2, 2}).empty());
}

}  // namespace
}  // namespace apmt
