// Added times: what they share adds up, what is their own adds in quadrature.
#include "fitter/interval_sum.h"

#include <gtest/gtest.h>

#include <cmath>

namespace apmt {
namespace {

TimeDistribution log_normal(double median_s, double sd, double new_size_sd, double noise_sd = 0) {
  return TimeDistribution(LogMixture({{1, std::log(median_s), sd}}), new_size_sd, noise_sd);
}

TEST(IntervalSum, OwnDeviationsAddInQuadrature) {
  IntervalSum sum(0.8, 0);
  const TimeEstimate one = sum.add(log_normal(2, 0.01, 0));
  sum.add(log_normal(2, 0.01, 0));
  EXPECT_NEAR(sum.total().time_s, 4, 1e-9);
  EXPECT_NEAR(sum.total().high_s - 4, std::sqrt(2) * (one.high_s - 2), 1e-9);
  EXPECT_NEAR(4 - sum.total().low_s, std::sqrt(2) * (2 - one.low_s), 1e-9);
}

TEST(IntervalSum, SharedNoiseAddsUp) {
  for (const double shared : {0.0, 0.25, 1.0}) {
    IntervalSum sum(0.8, shared);
    const TimeEstimate one = sum.add(log_normal(2, 0.3, 0, 0.3));
    sum.add(log_normal(2, 0.3, 0, 0.3));
    const double times = std::sqrt(2 + 2 * shared);
    EXPECT_NEAR(sum.total().high_s - 4, times * (one.high_s - 2), 1e-9);
    EXPECT_NEAR(4 - sum.total().low_s, times * (2 - one.low_s), 1e-9);
  }
}

TEST(IntervalSum, OfCurvesAQuarterAsMuchIsShared) {
  IntervalSum sum(0.8, 0.8);
  const TimeEstimate one = sum.add(log_normal(2, 0.3, 0));
  sum.add(log_normal(2, 0.3, 0));
  const double times = std::sqrt(2 + 2 * 0.8 * 0.25);
  EXPECT_NEAR(sum.total().high_s - 4, times * (one.high_s - 2), 1e-9);
  EXPECT_NEAR(4 - sum.total().low_s, times * (2 - one.low_s), 1e-9);
}

TEST(IntervalSum, WhatANewSizeDoesAddsUp) {
  IntervalSum sum(0.8, 0);
  const TimeEstimate one = sum.add(log_normal(2, 0.3, 0.3));
  sum.add(log_normal(2, 0.3, 0.3));
  EXPECT_NEAR(sum.total().low_s, 2 * one.low_s, 1e-6);
  EXPECT_NEAR(sum.total().high_s, 2 * one.high_s, 1e-6);
}

TEST(IntervalSum, AlternativesThatCannotBeToldApartAreKeptWhole) {
  IntervalSum sum(0.8, 0);
  sum.add(TimeDistribution(1, 2, 5));
  sum.add(TimeDistribution(3, 3, 4));
  EXPECT_DOUBLE_EQ(sum.total().low_s, 4);
  EXPECT_DOUBLE_EQ(sum.total().high_s, 9);
}

TEST(IntervalSum, OneTimeKeepsItsIntervalAndNothingIsNegative) {
  for (const double new_size : {0.0, 0.5, 2.0}) {
    IntervalSum sum(0.8, 0.2);
    const TimeEstimate one = sum.add(log_normal(3, 2, new_size, 1));
    EXPECT_NEAR(sum.total().low_s, one.low_s, 1e-9);
    EXPECT_NEAR(sum.total().high_s, one.high_s, 1e-9);
    for (int i = 0; i < 20; ++i) sum.add(log_normal(0.1 * (i + 1), 3, new_size, 1));
    EXPECT_GE(sum.total().low_s, 0);
    EXPECT_LE(sum.total().low_s, sum.total().time_s);
    EXPECT_GE(sum.total().high_s, sum.total().time_s);
  }
  EXPECT_EQ(IntervalSum(0.8, 0).total().time_s, 0);
}

}  // namespace
}  // namespace apmt
