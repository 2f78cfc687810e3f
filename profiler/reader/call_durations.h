// The time of a message, from the durations of all calls that send it, receive it or wait for it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "profiler/profile_format.h"

namespace apmt {

/// The durations of calls, as far as they were recorded: a histogram, the sum and the extremes.
class CallDurations {
 public:
  void add(const format::MpiCall& calls);
  std::uint64_t calls() const { return calls_; }

  /// The duration that this share of the calls does not exceed. Absent if the histogram does not
  /// hold all calls, or if there are none.
  std::optional<double> quantile_s(double share) const;

  /// The time of a call that sends: the duration that a tenth of the calls do not exceed. A call
  /// that sends a small message returns at once; one that sends a large message returns at the
  /// earliest when the message has arrived. So the quickest calls did not wait for any other rank.
  std::optional<double> sending_s() const;

  /// The time of a call that waits for messages, without waiting for late senders. `messages` is
  /// the mean number of messages that a call waits for; it is not 0. If it is less than 1, some
  /// calls wait for no message.
  ///
  /// The quickest calls do not show this time: their message had arrived before the call began. If
  /// two ranks send a message to each other and one calls d earlier than the other, their calls
  /// take L + d and L - d, where L is the time of the message. If d > L, they take L + d and nearly
  /// 0; half the sum is then more than L. In each pair, the rank that calls later takes at most L,
  /// and the other at least L. So L is at most half the sum of two durations that are equally far
  /// below and above the median (as shares of the calls), and equal to it if d < L. The least of
  /// such half sums is returned. In a group of n + 1 ranks that all wait for each other, one calls
  /// last, so a share of 1 / (n + 1) of the calls take at most L.
  std::optional<double> waiting_s(double messages) const;

 private:
  std::array<std::uint64_t, format::kTimeBins> bins_{};
  std::uint64_t calls_ = 0;
  double sum_s_ = 0;
  double min_s_ = 0;
  double max_s_ = 0;
};

}  // namespace apmt
