#include "campaign/finished_runs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace apmt {
namespace {

TEST(RelativeError, OfFewerThanTwoIsUnknown) {
  EXPECT_TRUE(std::isinf(relative_error({})));
  EXPECT_TRUE(std::isinf(relative_error({1.0})));
}

TEST(RelativeError, OfTwoIsThatOfTheirMean) {
  // Mean 10, deviation sqrt(2), error of the mean 1.
  EXPECT_NEAR(relative_error({9, 11}), 0.1, 1e-12);
}

TEST(RelativeError, OfManyIsThatOfTheirMedian) {
  // Deviation 1; sqrt(pi / 2 / 3) = 0.7236.
  EXPECT_NEAR(relative_error({99, 100, 101}), 0.007236, 1e-6);
}

TEST(RelativeError, ShrinksWithTheSquareRootOfTheNumber) {
  std::vector<double> few;
  std::vector<double> many;
  for (int i = 0; i < 4; ++i) few.push_back(i % 2 == 0 ? 9 : 11);
  for (int i = 0; i < 400; ++i) many.push_back(i % 2 == 0 ? 9 : 11);
  EXPECT_NEAR(relative_error(few) / relative_error(many), 10, 2);
}

}  // namespace
}  // namespace apmt
