// Tests of the best single prediction and interval for several known times, from which the
// benchmark computes the least possible error on published series. This bound is valid only if no
// other prediction or interval is better.
#include "bench/fitter/least_miss.h"

#include <gtest/gtest.h>

namespace apmt::bench {
namespace {

const std::vector<double> kTimes = {-0.9, -0.4, -0.3, -0.25, 0.1, 0.8, 0.85};

double mean_error(double said) {
  double sum = 0;
  for (const double y : kTimes) sum += error(said, y);
  return sum / static_cast<double>(kTimes.size());
}

double mean_score(double low, double high) {
  double sum = 0;
  for (const double y : kTimes) sum += score_80(low, high, y);
  return sum / static_cast<double>(kTimes.size());
}

TEST(LeastMiss, NoAnswerMissesByLess) {
  const double best = mean_error(best_answer(kTimes));
  for (double said = -1.5; said < 1.5; said += 0.001) EXPECT_LE(best, mean_error(said)) << said;
  // Predictions that are too high cost more than those that are too low, so the best one is below
  // the median.
  EXPECT_LT(best, mean_error(-0.25));
}

TEST(LeastMiss, NoIntervalScoresLess) {
  const double best = best_score(kTimes);
  for (double low = -1; low < 1; low += 0.01)
    for (double high = low; high < 1; high += 0.01)
      EXPECT_LE(best, mean_score(low, high) + 1e-12) << low << " to " << high;
}

TEST(LeastMiss, TimesThatAgreeAreNotMissed) {
  EXPECT_EQ(best_answer({0.3, 0.3}), 0.3);
  EXPECT_EQ(best_score({0.3, 0.3}), 0);
}

}  // namespace
}  // namespace apmt::bench
