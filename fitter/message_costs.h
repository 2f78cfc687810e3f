// What messages can cost: as much as the quickest of their kind take. What a call is blocked for
// beyond that is waiting for a partner that computes longer.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Seconds of one call of an operation that sends, receives or completes, by where its partners are
/// and the size class of what moves, over all runs of a program: messages of one size cost the same
/// at every process count and in every function. Quick is the least of
///   - the time that a tenth of the calls of a run do not exceed;
///   - the mean over the calls of one function in one run: call sites with like messages and unlike
///     times wait;
/// and what larger messages take, smaller ones need not exceed.
class MessageCosts {
 public:
  MessageCosts() = default;
  explicit MessageCosts(const std::vector<const RunProfile*>& runs);

  /// Of a run's time in such calls, what was waiting; seconds over all ranks, of each row of its
  /// MPI table. A message that is quick to complete may have been under way while its receiver
  /// computed: the calls are granted as much as the quickest messages of their size were under way.
  std::vector<double> waited_s(const RunProfile& run) const;

 private:
  using Kind = std::tuple<std::string, std::string, int>;  // operation, peers, size class
  static Kind kind_of(const MpiRow& row) { return {row.op, row.peer, row.size_class}; }
  void learn(const RunProfile& run);
  void offer(const Kind& kind, double call_s);
  void let_no_smaller_cost_more();

  std::map<Kind, double> quick_s_;
};

}  // namespace apmt
