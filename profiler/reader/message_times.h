// The time of a message in each row of the MPI table, from the recordings of all ranks.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/call_durations.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// How many messages a call receives, on average over all such calls of a run.
struct MessagesPerCall {
  double completing = 0;  // a call that completes non-blocking operations
  /// The share of the blocking receiving calls that get a message; below 1 only if some calls to
  /// MPI_Sendrecv receive from MPI_PROC_NULL.
  double receiving = 1;
};
MessagesPerCall messages_per_call(const std::vector<RawRecording>& ranks);

/// Estimates message times for one row of the MPI table, from its blocking calls that send, receive
/// or complete messages.
class MessageTimes {
 public:
  /// Adds the calls that one rank made from one address.
  void add(const RawRecording& raw, const format::MpiCall& calls);

  /// Fills in MpiRow::message_s and MpiRow::arrivals, if there are enough calls.
  void fill(const MessagesPerCall& messages, MpiRow* row) const;

 private:
  enum class Kind { kOther, kSends, kReceives, kCompletes };
  static Kind kind_of(const RawRecording& raw, const format::MpiCall& calls);
  friend MessagesPerCall messages_per_call(const std::vector<RawRecording>& ranks);

  Kind kind_ = Kind::kOther;
  CallDurations durations_;
};

}  // namespace apmt
