// Estimates the time of a message, from the durations of calls that send messages, receive them or
// wait for them.
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
  /// contain all calls, or if there are no calls.
  std::optional<double> quantile_s(double share) const;

  /// The time of a call that sends: the duration that a tenth of the calls do not exceed. A call
  /// that sends a small message returns at once; one that sends a large message returns at the
  /// earliest when the message has arrived. So the quickest calls did not wait for any other rank.
  std::optional<double> sending_s() const;

  /// The time of a call that waits for messages, not counting the wait for late senders. `messages`
  /// is the mean number of messages that a call waits for; it is not 0. If it is less than 1, some
  /// calls wait for no message.
  ///
  /// The quickest calls do not show this time: their messages had arrived before the call began.
  /// Two ranks that send a message to each other show it. Let L be the time of the message, and let
  /// one rank begin its call a time d before the other. Then the calls take L + d and L - d, or
  /// nearly 0 instead of L - d if d > L. So half their sum is L if d <= L, and more than L
  /// otherwise. The recordings do not show which calls form a pair. But in each pair, one call
  /// takes at least L and the other at most L. So two durations, one above and one below the
  /// median, are assumed to be a pair if equally many calls lie between each of them and the
  /// median. Half the sum is computed for several such pairs. The smallest of these values is
  /// returned, or the mean duration if `messages` is at least 1 and the mean is smaller. If calls
  /// wait for n messages, in a group of n + 1 ranks, only the call that begins last takes at most
  /// L. So the quantile of 1 / (n + 1) is used in place of the median. If n < 1, the calls that
  /// wait for no message are taken to be the quickest; the median of the others, the quantile of 1
  /// - n / 2, is used.
  std::optional<double> waiting_s(double messages) const;

 private:
  std::array<std::uint64_t, format::kTimeBins> bins_{};
  std::uint64_t calls_ = 0;
  double sum_s_ = 0;
  double min_s_ = 0;
  double max_s_ = 0;
};

}  // namespace apmt
