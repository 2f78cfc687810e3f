#include <gtest/gtest.h>

#include <cmath>

#include "fitter/fit/baseline.h"
#include "fitter/fit/linear_form.h"
#include "fitter/numeric/small_least_squares.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

TEST(LeastSquares, LineByHand) {
  // The points are 1 + 2x at x = 0, 1, 2, with 1 added to the middle one. The line through them is
  // 4/3 + 2x.
  const auto c = solve_least_squares({{1, 1, 1}, {0, 1, 2}}, {1, 4, 5});
  ASSERT_TRUE(c);
  EXPECT_NEAR((*c)[0], 4.0 / 3, 1e-12);
  EXPECT_NEAR((*c)[1], 2, 1e-12);
}

TEST(LeastSquares, DependentColumnsAreRefused) {
  EXPECT_FALSE(solve_least_squares({{1, 2, 3}, {2, 4, 6}}, {1, 2, 3}));
  EXPECT_FALSE(solve_least_squares({{0, 0, 0}}, {1, 2, 3}));
  EXPECT_FALSE(solve_least_squares({}, {1}));
  EXPECT_FALSE(solve_least_squares({{1}, {2}}, {1}));
}

TEST(LeastSquares, BadlyScaledColumns) {
  const auto c = solve_least_squares({{1e-9, 2e-9, 4e-9}, {1e9, 1e9, 1e9}}, {3, 5, 9});
  ASSERT_TRUE(c);
  EXPECT_NEAR((*c)[0], 2e9, 1);
  EXPECT_NEAR((*c)[1], 1e-9, 1e-15);
}

TEST(NonNegative, ForbiddenDirectionIsDropped) {
  // Without restrictions the solution is 3 - x. If negative slopes are not permitted, the mean
  // remains.
  const auto c = solve_non_negative({{1, 1, 1}, {0, 1, 2}}, {3, 2, 1});
  EXPECT_NEAR(c[0], 2, 1e-12);
  EXPECT_EQ(c[1], 0);
}

TEST(LinearForms, AreFittedLikeLinesWithNumbersOfAllSizes) {
  const std::vector<double> c =
      fit_form({{{.numbers = {1e-9, 2e-9, 4e-9}}, {.numbers = {1e9, 1e9, 1e9}}}, {3, 5, 9}});
  EXPECT_NEAR(c[0], 2e9, 1);
  EXPECT_NEAR(c[1], 1e-9, 1e-15);
  EXPECT_EQ(fit_form({{{.numbers = {1, 2}}}, {0, 0}}), std::vector<double>{0});
}

TEST(LinearForms, KeepTheirBounds) {
  // 3 - x without restrictions. If slopes are not negative, the mean remains; if the constant is at
  // most 1, the best slope is 1/5.
  const LinearForm::Column ones = {.numbers = {1, 1, 1}};
  std::vector<double> c = fit_form({{ones, {.numbers = {0, 1, 2}, .least = 0}}, {3, 2, 1}});
  EXPECT_NEAR(c[0], 2, 1e-6);
  EXPECT_NEAR(c[1], 0, 1e-6);
  c = fit_form({{{.numbers = {1, 1, 1}, .most = 1}, {.numbers = {0, 1, 2}}}, {3, 2, 1}});
  EXPECT_NEAR(c[0], 1, 1e-6);
  EXPECT_NEAR(c[1], 0.2, 1e-6);
}

TEST(Baselines, PlantedOnesAreFound) {
  std::vector<FitPoint> points;
  for (const double p : {2.0, 4.0, 8.0, 16.0})
    points.push_back({p, 1, 12 / p + 0.3 * std::sqrt(p) + 0.5, 0, 0, 1});
  const auto baselines = fit_baselines(points);
  ASSERT_EQ(baselines.size(), 3u);
  EXPECT_EQ(baselines[1].name, "empirical");
  EXPECT_NEAR(baselines[1].time_s(64, 1), 12.0 / 64 + 0.3 * 8 + 0.5, 1e-6);
  for (FitPoint& p : points) p.value = 100 / p.procs + 3;
  EXPECT_NEAR(fit_baselines(points)[0].time_s(1000, 1), 3.1, 1e-9);
  for (FitPoint& p : points) p.value = 100 * std::pow(p.procs, -0.7);
  EXPECT_NEAR(fit_baselines(points)[2].time_s(256, 1), 100 * std::pow(256, -0.7), 1e-9);
}

TEST(Spread, MedianAndDeviation) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1}), 2.5);
  const Measured m = measured({9, 10, 11}, 0.02);
  EXPECT_EQ(m.value, 10);
  EXPECT_NEAR(m.rel_sigma, 0.1, 1e-12);
  EXPECT_EQ(m.repetitions, 3);
  EXPECT_EQ(measured({5}).rel_sigma, 0);
  EXPECT_EQ(measured({0, 0}).rel_sigma, 0);
}

}  // namespace
}  // namespace apmt
