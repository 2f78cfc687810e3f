#include "reports/process_counts.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "fitter/runs/count_pattern.h"

namespace apmt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

Model profiled_at(const std::vector<int>& counts) {
  Model model;
  for (const int procs : counts) model.points.emplace_back().procs = procs;
  return model;
}

TEST(ProcessCounts, GoOnAsTheProfiledOnesWent) {
  EXPECT_THAT(curve_procs(profiled_at({2, 4, 8}), {64}), ElementsAre(2, 4, 8, 16, 32, 64));
  EXPECT_THAT(curve_procs(profiled_at({6, 24}), {96}), ElementsAre(6, 12, 24, 48, 96));
  EXPECT_THAT(curve_procs(profiled_at({8, 27, 64}), {512}),
              ElementsAre(8, 27, 64, 125, 216, 343, 512));
  EXPECT_THAT(curve_procs(profiled_at({4, 9}), {64}), ElementsAre(4, 9, 16, 25, 36, 49, 64));
}

TEST(ProcessCounts, BothEndsOfTheRangeAreAmongThem) {
  EXPECT_THAT(counts_like_profiled({4, 9}, 4, 36, 1), ElementsAre(4, 9, 16, 25, 36));
  EXPECT_THAT(counts_like_profiled({2, 4}, 4, 16, 1), ElementsAre(4, 8, 16));
}

TEST(ProcessCounts, TheCurveHasNoPrimesButThoseAskedFor) {
  const std::vector<int> counts = curve_procs(profiled_at({6, 10, 30}), {60, 97});
  EXPECT_THAT(counts, Contains(97));
  for (const int prime : {7, 11, 13, 31, 37, 53, 59, 61, 89})
    EXPECT_THAT(counts, Not(Contains(prime)));
  EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end()));
  EXPECT_GT(counts.size(), 10u);
}

TEST(ProcessCounts, AreFewEvenToMillions) {
  EXPECT_LT(curve_procs(profiled_at({6, 10, 30}), {1 << 24}).size(), 120u);
  EXPECT_LT(curve_procs(profiled_at({8, 27}), {1 << 24}).size(), 120u);
  EXPECT_TRUE(curve_procs(Model{}, {}).empty());
}

TEST(ProcessCounts, ReportsAskForWhatTheProgramCanRunWith) {
  EXPECT_THAT(default_procs(profiled_at({2, 4})), ElementsAre(2, 4, 8, 16, 32, 64));
  EXPECT_THAT(default_procs(profiled_at({3, 5})), ElementsAre(3, 6, 12, 24, 48));
  EXPECT_THAT(default_procs(profiled_at({8, 27})), ElementsAre(8, 27, 64, 125, 216, 343));
  EXPECT_EQ(curve_words(profiled_at({8, 27})), "cubes of whole numbers");
}

}  // namespace
}  // namespace apmt
