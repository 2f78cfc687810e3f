// Tests of the sampling period, which is computed from the cost of a sample.
#include <gtest/gtest.h>

#include "profiler/sampler/source.h"

namespace apmt::sampler {
namespace {

TEST(SamplePeriod, IsTwoHundredTimesWhatASampleCostsWithItsDelivery) {
  EXPECT_EQ(affordable_period_ns({50000, 2000}), 10000000u);
}

TEST(SamplePeriod, IsFromAMillisecondToFifty) {
  EXPECT_EQ(affordable_period_ns({0, 0}), 1000000u);
  EXPECT_EQ(affordable_period_ns({3000, 1000}), 1000000u);
  EXPECT_EQ(affordable_period_ns({1000000, 1000}), 50000000u);
}

}  // namespace
}  // namespace apmt::sampler
