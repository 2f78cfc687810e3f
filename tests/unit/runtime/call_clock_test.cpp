// Tests of the call clock. It reads the processor's time-stamp counter instead of the kernel's
// clock, and returns to the kernel's clock when the two differ by more than a limit. If the kernel
// itself does not keep time by the counter, the call clock always reads the kernel's clock.
#include "profiler/runtime/call_clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <string>

#include "profiler/runtime/threads.h"

namespace apmt::rt {

static std::string g_note;

int64_t now_ns() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}
void note(const char* text) { g_note = text; }

namespace {

/// A reading of the call clock must lie between two readings of the kernel's clock, give or take
/// kOffNs.
void expect_like_the_kernels() {
  constexpr int64_t kOffNs = 200000;
  for (int i = 0; i < 10000; ++i) {
    const int64_t before = now_ns();
    const int64_t here = call_ns();
    const int64_t after = now_ns();
    ASSERT_GE(here, before - kOffNs);
    ASSERT_LE(here, after + kOffNs);
  }
}

TEST(CallClock, IsLikeTheKernelsUntilItDisagreesAndThenIsTheKernels) {
  expect_like_the_kernels();  // before the clocks were ever compared
#ifdef __x86_64__
  begin_call_clock();
  const int64_t begin_ns = now_ns();
  while (now_ns() - begin_ns < 50000000 && g_call_clock.span == 0) call_ns();
  expect_like_the_kernels();
  if (g_call_clock.span == 0) GTEST_SKIP() << "the kernel does not keep time by the counter here";
  g_call_clock.span = 1;  // the next reading compares the clocks
  call_ns();
  EXPECT_GT(g_call_clock.span, 1u);
  EXPECT_EQ(g_note, "");

  // The counter's time is shifted by 50 us. This is less than the accepted drift (100 us), but
  // enough to show from which clock a reading came. Both readings of an MPI call, at its start and
  // its end, must come from the same clock, even if the two clocks are compared in between.
  constexpr int64_t kApartNs = 50000;
  g_call_clock.begin_ns += kApartNs;
  for (int i = 0; i < 20; ++i) {
    g_call_clock.span = 1;
    const int64_t before = now_ns();
    EXPECT_GT(call_ns() - before, kApartNs / 2) << "a reading of the kernel's clock";
  }
  EXPECT_EQ(g_note, "");

  g_call_clock.begin_ns += 3600000000000;  // as after a move to another machine
  g_call_clock.span = 1;
  call_ns();
  EXPECT_EQ(g_call_clock.span, 0u);
  EXPECT_NE(g_note, "");
  expect_like_the_kernels();
#endif
}

}  // namespace
}  // namespace apmt::rt
