// Tests that the sampler takes only its own signals from those that are pending.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <ctime>

#include "profiler/runtime/activity.h"
#include "profiler/sampler/signal.h"

namespace apmt::rt {
constinit PerRank<Activity> g_activity;
}

namespace apmt::sampler {

int real_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  return ::sigaction(number, action, before);
}

namespace {

using ::testing::ElementsAre;

constexpr int kOurs = 1000;  // values from here on mark samples

int taken = 0;
void count(const siginfo_t&) { ++taken; }
bool is_marked(const siginfo_t& info) { return info.si_value.sival_int >= kOurs; }
void ignore(const siginfo_t&, void*) {}
constexpr Receiver kReceiver = {is_marked, ignore};

TEST(PendingSignals, ThoseOfOtherSendersStayPendingInTheirOrder) {
  ::signal(SIGURG, [](int) {});  // so the sampler chooses a real-time signal, which is queued
  ASSERT_EQ(claim_signal(kReceiver), nullptr);
  const int number = our_signal();
  ASSERT_GE(number, SIGRTMIN);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &set, nullptr), 0);
  for (const int value : {1, kOurs, 2, kOurs + 1, 3})
    ASSERT_EQ(pthread_sigqueue(pthread_self(), number, {.sival_int = value}), 0);
  take_pending(count);
  EXPECT_EQ(taken, 2);
  std::vector<int> left;
  const timespec at_once = {0, 0};
  for (siginfo_t info; sigtimedwait(&set, &info, &at_once) == number;)
    left.push_back(info.si_value.sival_int);
  EXPECT_THAT(left, ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace apmt::sampler
