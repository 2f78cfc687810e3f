#include "reports/numbers.h"

#include <gtest/gtest.h>

#include <clocale>

namespace apmt {
namespace {

TEST(Numbers, SecondsTakeTheUnitThatKeepsThemShort) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(3.2e-9), "3.20 ns");
  EXPECT_EQ(format_seconds(4.1e-12), "0.00410 ns") << "a byte on a fast network";
  EXPECT_EQ(format_seconds(2.2e-19), "0 s") << "rounding";
  EXPECT_EQ(format_seconds(4.214e-6), "4.21 us");
  EXPECT_EQ(format_seconds(0.3124), "312 ms");
  EXPECT_EQ(format_seconds(1.9), "1.90 s");
  EXPECT_EQ(format_seconds(1240), "1240 s");
  EXPECT_EQ(format_seconds(40000), "11.1 h");
}

TEST(Numbers, RoundingUpChangesTheUnitToo) {
  EXPECT_EQ(format_seconds(0.9996), "1.00 s");
  EXPECT_EQ(format_seconds(0.9994), "999 ms");
  EXPECT_EQ(format_seconds(9.996e-7), "1.00 us");
  EXPECT_EQ(format_significant(9.999), "10.0");
}

TEST(Numbers, ARangeHasOneUnit) {
  EXPECT_EQ(format_seconds_range(0.0123, 0.5), "12.3 to 500 ms");
  EXPECT_EQ(format_seconds_range(0, 1.5), "0 to 1.50 s");
  EXPECT_EQ(format_seconds_range(1e-19, 1.5), "0 to 1.50 s");
  EXPECT_EQ(format_seconds_range(1e-19, 1e-15), "0 s");
}

TEST(Numbers, AnEstimateShowsNoMoreDigitsThanItsInterval) {
  EXPECT_EQ(format_estimate({1.913, 1.64, 2.37}, 0.8), "1.9 s (1.6 to 2.4, 80 %)");
  EXPECT_EQ(format_estimate({1.913, 1.89, 1.93}, 0.8), "1.91 s (1.89 to 1.93, 80 %)");
  EXPECT_EQ(format_estimate({0, 0, 0}, 0.9), "0 s (0 to 0, 90 %)");
}

TEST(Numbers, BytesAndCounts) {
  EXPECT_EQ(format_bytes(8), "8 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(1020.0 * 1024), "1020 KiB");
  EXPECT_EQ(format_bytes(3.5 * 1073741824), "3.50 GiB");
  EXPECT_EQ(format_count(9999), "9999");
  EXPECT_EQ(format_count(12345), "12.3 k");
  EXPECT_EQ(format_count(4.1e6), "4.10 M");
  EXPECT_EQ(format_count(0.5), "0.500");
}

TEST(Numbers, SharesAndChanges) {
  EXPECT_EQ(format_share(0.78), "78 %");
  EXPECT_EQ(format_share(0.031), "3.1 %");
  EXPECT_EQ(format_share(1), "100 %");
  EXPECT_EQ(format_share(0.00001), "< 0.01 %");
  EXPECT_EQ(format_change(0.123), "+12 %");
  EXPECT_EQ(format_change(-0.031), "-3.1 %");
  EXPECT_EQ(format_change(0.0001), "0 %");
  EXPECT_EQ(format_factor(8), "8x");
  EXPECT_EQ(format_factor(1.5), "1.50x");
}

TEST(Numbers, TheUsersLocaleChangesNothing) {
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no de_DE.UTF-8 here";
  EXPECT_EQ(format_seconds(1.9), "1.90 s");
  EXPECT_EQ(format_exact(0.25), "0.25");
  std::setlocale(LC_ALL, "C");
}

TEST(Numbers, ListsReadLikeEnglish) {
  EXPECT_EQ(join_numbers({2}), "2");
  EXPECT_EQ(join_numbers({2, 4}), "2 and 4");
  EXPECT_EQ(join_numbers({2, 4, 8}), "2, 4 and 8");
  std::vector<int> sixty;
  for (int i = 1; i <= 60; ++i) sixty.push_back(2 * i);
  EXPECT_EQ(join_numbers(sixty), "2, 4, 6, ... 120");
}

}  // namespace
}  // namespace apmt
