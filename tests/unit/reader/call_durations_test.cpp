// Tests of estimating the time of a message from the durations of calls whose partners call at
// different times. The true time of the messages is known.
#include "profiler/reader/call_durations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace apmt {
namespace {

constexpr double kMessage_s = 30e-6;
constexpr double kCall_s = 125e-9;  // of a call whose message has arrived
constexpr int kExchanges = 2000;

CallDurations durations_of(const std::vector<double>& seconds) {
  format::MpiCall c{};
  std::uint64_t least_ns = UINT64_MAX;
  for (const double s : seconds) {
    const auto ns = static_cast<std::uint64_t>(std::llround(s * 1e9));
    c.calls += 1;
    c.time_ns += ns;
    c.max_ns = std::max(c.max_ns, ns);
    least_ns = std::min(least_ns, ns);
    c.times[format::time_bin(ns)] += 1;
  }
  c.min_ns_complement = ~least_ns;
  CallDurations durations;
  durations.add(c);
  return durations;
}

/// Random numbers that are the same on every machine.
class Random {
 public:
  double uniform() { return 2 * (static_cast<double>(random_() >> 11) * 0x1.0p-53) - 1; }
  double normal() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum / 2;
  }

 private:
  std::mt19937_64 random_{1};
};

/// How messages are sent. Small ones arrive while the receiver computes; large ones are sent only
/// when the receiver has called MPI.
enum class Protocol { kEager, kRendezvous };

/// The duration of a call that begins `ahead_s` before the sender's.
double receive_s(double ahead_s, Protocol protocol) {
  return protocol == Protocol::kEager ? std::max(kCall_s, kMessage_s + ahead_s)
                                      : kMessage_s + std::max(0.0, ahead_s);
}

/// The durations of calls in groups of `ranks`, in which each rank waits for all others.
/// `lateness_s` returns the time at which a rank makes its call.
std::vector<double> exchanges(int ranks, const std::function<double()>& lateness_s,
                              Protocol protocol = Protocol::kEager) {
  std::vector<double> durations_s;
  for (int i = 0; i < kExchanges; ++i) {
    std::vector<double> at_s;
    for (int r = 0; r < ranks; ++r) at_s.push_back(lateness_s());
    for (int r = 0; r < ranks; ++r) {
      double latest_s = -INFINITY;
      for (int other = 0; other < ranks; ++other)
        if (other != r) latest_s = std::max(latest_s, at_s[static_cast<std::size_t>(other)]);
      durations_s.push_back(receive_s(latest_s - at_s[static_cast<std::size_t>(r)], protocol));
    }
  }
  return durations_s;
}

/// The estimate, relative to the true time.
double estimate(const std::vector<double>& durations_s, double messages) {
  return durations_of(durations_s).waiting_s(messages).value() / kMessage_s;
}

TEST(CallDurations, OfEqualCallsAreExact) {
  const CallDurations equal = durations_of(std::vector<double>(100, kMessage_s));
  EXPECT_NEAR(*equal.waiting_s(1), kMessage_s, 1e-12);
  EXPECT_NEAR(*equal.sending_s(), kMessage_s, 1e-12);
}

/// After one late call, two ranks that compute for the same time are late in turn for ever: their
/// calls take alternately no time and twice the time of the message. So the quickest tenth of the
/// calls take no time.
TEST(CallDurations, OfPartnersWhoAreLateInTurn) {
  std::vector<double> durations_s(1000, kCall_s);
  durations_s.insert(durations_s.end(), 1000, 2 * kMessage_s);
  EXPECT_NEAR(estimate(durations_s, 1), 1, 0.05);
  EXPECT_LT(*durations_of(durations_s).quantile_s(0.1), 0.1 * kMessage_s);
}

class Exchange : public testing::TestWithParam<double> {};

/// However far apart in time the partners make their calls, half of the calls take at most the time
/// of the message.
TEST_P(Exchange, ShowsTheTimeOfItsMessages) {
  const double apart_s = GetParam() * kMessage_s;
  Random random;
  EXPECT_NEAR(estimate(exchanges(2, [&] { return apart_s * random.normal(); }), 1), 1, 0.1);
  EXPECT_NEAR(estimate(exchanges(2, [&] { return apart_s * random.uniform(); }), 1), 1, 0.1);
}

INSTANTIATE_TEST_SUITE_P(PartnersApart, Exchange, testing::Values(0.1, 0.5, 1, 3, 5));

TEST(CallDurations, OfLargeMessagesShowTheirTime) {
  Random random;
  const auto lateness_s = [&] { return 0.5 * kMessage_s * random.normal(); };
  EXPECT_NEAR(estimate(exchanges(2, lateness_s, Protocol::kRendezvous), 1), 1, 0.1);
}

/// With four neighbours, one of five ranks is the latest, so only a fifth of the calls wait for
/// nobody.
TEST(CallDurations, OfSeveralNeighboursShowTheTimeOfOneMessage) {
  for (const int neighbours : {2, 4})
    for (const double apart : {0.2, 1.0, 5.0}) {
      Random random;
      const auto lateness_s = [&] { return apart * kMessage_s * random.normal(); };
      EXPECT_NEAR(estimate(exchanges(neighbours + 1, lateness_s), neighbours), 1, 0.25);
    }
}

/// Calls that complete a send, or that receive from MPI_PROC_NULL, wait for nothing.
TEST(CallDurations, MayIncludeCallsThatWaitForNothing) {
  Random random;
  std::vector<double> durations_s = exchanges(2, [&] { return kMessage_s * random.normal(); });
  durations_s.insert(durations_s.end(), durations_s.size(), kCall_s);
  EXPECT_NEAR(estimate(durations_s, 0.5), 1, 0.1);
}

/// Messages that have always arrived before the call cost the program no more than the call.
TEST(CallDurations, OfMessagesThatAreThereAreThoseOfTheCall) {
  std::vector<double> durations_s(1000, kCall_s);
  for (int i = 0; i < 100; ++i) durations_s.push_back(100 * kMessage_s);
  EXPECT_LT(estimate(durations_s, 1), 0.1);
}

TEST(CallDurations, OfSendsAreThoseOfTheQuickest) {
  std::vector<double> durations_s(200, kMessage_s);
  for (int i = 0; i < 800; ++i) durations_s.push_back((1 + i) * kMessage_s);
  EXPECT_NEAR(*durations_of(durations_s).sending_s(), kMessage_s, 0.1 * kMessage_s);
}

TEST(CallDurations, AreUnknownIfCallsAreMissing) {
  EXPECT_FALSE(CallDurations().waiting_s(1));
  format::MpiCall c{};
  c.calls = 20;
  c.times[3] = 19;  // the process was killed during an update
  CallDurations durations;
  durations.add(c);
  EXPECT_FALSE(durations.waiting_s(1));
  EXPECT_FALSE(durations.sending_s());
}

}  // namespace
}  // namespace apmt
