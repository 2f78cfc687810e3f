#include "pmpi-shim/core/possible_time.h"

#include <gtest/gtest.h>

namespace apmt::shim {
namespace {

TEST(PossibleTime, WhatCannotBeIsTheNearestThatCanAndIsCounted) {
  uint64_t odd = 0;
  EXPECT_EQ(possible_time(0, 100, odd), 0);
  EXPECT_EQ(possible_time(100, 100, odd), 100);
  EXPECT_EQ(possible_time(5, INT64_MAX, odd), 5);
  EXPECT_EQ(odd, 0u);
  EXPECT_EQ(possible_time(-1, 100, odd), 0);
  EXPECT_EQ(possible_time(101, 100, odd), 100);
  EXPECT_EQ(possible_time(INT64_MIN, 0, odd), 0);
  EXPECT_EQ(odd, 3u);
}

}  // namespace
}  // namespace apmt::shim
