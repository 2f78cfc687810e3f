// Tests of the measured values in tables of experiments with several problem sizes.
#include <gtest/gtest.h>

#include "reports/vocabulary.h"

namespace apmt {
namespace {

TEST(MeasuredSizes, AValueIsThatOfTheLargestSize) {
  std::vector<FitPoint> points;
  for (const double p : {4, 8})
    for (const double work : {100, 400})
      points.push_back({.procs = p, .work = work, .value = work / p});
  EXPECT_EQ(value_at(points, 4), 100);
  EXPECT_EQ(value_at(points, 8), 50);
  EXPECT_EQ(value_at(points, 16), std::nullopt);
  points.push_back(points.back());  // another layout
  EXPECT_EQ(value_at(points, 8), std::nullopt);
  EXPECT_EQ(value_at({{.procs = 2, .work = 100, .value = 7}}, 2), 7);
}

TEST(MeasuredSizes, AreNamedIfThereAreSeveral) {
  Model model;
  for (const double n : {600.0, 1200.0}) {
    model.points.emplace_back();
    model.points.back().procs = 8;
    model.points.back().params = {{"n", n}};
  }
  EXPECT_EQ(measured_sizes_words(model), "measured with n = 1200");
  model.points.erase(model.points.begin());
  EXPECT_EQ(measured_sizes_words(model), "");
}

}  // namespace
}  // namespace apmt
