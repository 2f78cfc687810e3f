// Tests of the law that gives cache misses as a function of the working set, with kernels whose
// stack distances are known.
#include "fitter/kernels/reuse_law.h"

#include <gtest/gtest.h>

#include <cmath>

namespace apmt {
namespace {

constexpr double kLine = 64;

/// A kernel that sweeps `rounds` times over n lines of eight words. Seven of eight accesses go to
/// the same line as the previous access (stack distance 0). The other accesses return to a line
/// after n - 1 other lines (stack distance n - 1); in the first round they are the first accesses
/// to their lines.
ReuseLaw::Size sweep(double n, double rounds) {
  ReuseLaw::Size size;
  size.working_set = 8 * n;
  size.locality.accesses = 8 * n * rounds;
  size.locality.cold = n;
  size.locality.distances = {
      {0, 0, 7 * n * rounds},
      {static_cast<std::uint64_t>(n) - 1, static_cast<std::uint64_t>(n) - 1, n * (rounds - 1)}};
  size.flops = 16 * n * rounds;
  return size;
}

TEST(ReuseLaw, AtAnAnalysedSizeItIsTheStackDistancesThemselves) {
  const ReuseLaw law({sweep(1000, 10), sweep(100, 10)});
  for (const double n : {100.0, 1000.0}) {
    EXPECT_DOUBLE_EQ(law.misses(kLine * n, 8 * n), n) << "it fits: only the first accesses";
    EXPECT_DOUBLE_EQ(law.misses(kLine * (n - 1), 8 * n), 10 * n) << "one line too few";
    EXPECT_DOUBLE_EQ(law.accesses(8 * n), 80 * n);
    EXPECT_DOUBLE_EQ(law.flops(8 * n), 160 * n);
  }
}

TEST(ReuseLaw, BetweenAndBeyondTheSizesMissesBeginWhereTheDataCeaseToFit) {
  const ReuseLaw law({sweep(100, 10), sweep(400, 10)});
  for (const double n : {50.0, 200.0, 3200.0, 100000.0}) {
    const ReuseLaw::Size truth = sweep(n, 10);
    for (const double cache : {0.5, 0.9, 1.1, 2.0}) {
      const double bytes = cache * n * kLine;
      EXPECT_NEAR(law.misses(bytes, 8 * n), truth.locality.misses(bytes), 0.002 * 80 * n)
          << n << " lines, cache for " << cache << " of them";
    }
    EXPECT_NEAR(law.flops(8 * n), 160 * n, 1e-6 * n);
  }
}

/// A stencil on n x n lines. For half of the far accesses, the stack distance is the size of the
/// data (n^2); for the other half, it is the length of a row (n).
ReuseLaw::Size stencil(double n) {
  ReuseLaw::Size size = sweep(n * n, 11);
  const double far = size.locality.distances.back().accesses;
  const auto row = static_cast<std::uint64_t>(n), all = static_cast<std::uint64_t>(n * n);
  size.locality.distances = {{0, 0, 7 * n * n * 11}, {row, row, far / 2}, {all, all, far / 2}};
  return size;
}

TEST(ReuseLaw, EachDistanceGrowsAtItsOwnRate) {
  const ReuseLaw law({stencil(32), stencil(64), stencil(128)});
  const ReuseLaw::Size truth = stencil(1024);
  for (const double lines : {100.0, 900.0, 1150.0, 5e4, 9e5, 1.2e6}) {
    const double bytes = lines * kLine;
    EXPECT_NEAR(law.misses(bytes, truth.working_set), truth.locality.misses(bytes),
                0.002 * truth.locality.accesses)
        << lines << " lines";
  }
}

TEST(ReuseLaw, OneSizeSaysNothingOfOthers) {
  const ReuseLaw law({sweep(100, 10), sweep(100, 20)});
  EXPECT_TRUE(law.covers(800));
  EXPECT_FALSE(law.covers(801));
  EXPECT_DOUBLE_EQ(law.accesses(800), 8000) << "the first of two with the same size";
  EXPECT_TRUE(ReuseLaw({sweep(100, 10), sweep(101, 10)}).covers(1));
}

}  // namespace
}  // namespace apmt
