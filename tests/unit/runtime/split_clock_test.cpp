// Tests of the split clock, which measures CPU time inside and outside MPI independently of where
// the samples fall.
#include "profiler/sampler/split_clock.h"

#include <gtest/gtest.h>

namespace apmt::sampler {
namespace {

constexpr bool kOutside = false;
constexpr bool kInside = true;

TEST(SplitClock, EachSideIsOwedWhatItHasUsed) {
  SplitClock clock{};
  clock.begin(1000);
  clock.look(1350, kOutside, true);
  clock.look(2000, kInside, true);
  EXPECT_EQ(clock.owed(kOutside, 100), 3u);
  EXPECT_EQ(clock.owed(kInside, 100), 6u);
  clock.give(kInside, 6);  // the kernel's ticks found the thread inside MPI
  EXPECT_EQ(clock.owed(kInside, 100), 0u);
  EXPECT_EQ(clock.owed(kOutside, 100), 3u)
      << "it has computed, although no tick found it computing";
  clock.look(2060, kOutside, true);
  EXPECT_EQ(clock.owed(kOutside, 100), 4u) << "parts of periods are not lost";
}

TEST(SplitClock, APauseDoesNotCount) {
  SplitClock clock{};
  clock.begin(0);
  clock.look(500, kOutside, true);
  clock.look(900, kOutside, false);
  clock.look(1000, kOutside, true);
  EXPECT_EQ(clock.owed(kOutside, 100), 6u);
}

TEST(SplitClock, WhatIsAheadIsMadeUpFor) {
  SplitClock clock{};
  clock.begin(0);
  clock.give(kOutside, 4);  // samples from the kernel's records, before the clock was read
  clock.look(300, kOutside, true);
  EXPECT_EQ(clock.owed(kOutside, 100), 0u);
  clock.look(600, kOutside, true);
  EXPECT_EQ(clock.owed(kOutside, 100), 2u);
}

TEST(SplitClock, KnowsBothHalvesOfAnInterruptedTime) {
  SplitClock clock{};
  clock.begin(0);
  clock.look(500, kInside, true);
  clock.end();
  clock.give(kInside, 9);  // ignored, because the clock is not running
  clock.begin(2000);
  clock.look(2100, kInside, true);
  EXPECT_EQ(clock.used_ns()[kInside], 600u);
  EXPECT_EQ(clock.given()[kInside], 0u);
}

}  // namespace
}  // namespace apmt::sampler
