// The cost of messages of each kind, and of broadcasts and reductions. If a call takes longer than
// this cost, the excess is time spent waiting for a process that computes longer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Whether the operation is MPI_Bcast or MPI_Reduce, which pass data on along a tree. In other
/// collectives with a root, such as MPI_Gather, the root handles the data of all ranks, so the
/// others wait for the data of each other.
bool is_along_tree(const std::string& op);

/// The cost of one call that sends, receives or completes messages, in seconds, by operation, kind
/// of partner (column "peer" of the MPI table) and mean size: messages of one size cost the same in
/// every run and function of a program. It is the least of
///   - MpiRow::message_s of each function and run; for rows without it: the mean over the calls of
///     one function in one run, and the time that a tenth of the calls of a run do not exceed;
///   - the cost of larger messages;
///   - the cost of smaller messages of the same size class, in proportion to the size. (Messages of
///     smaller classes may be sent by another protocol.)
/// A broadcast or reduction on a communicator of P ranks costs at most 1 + log2(P) hops. A hop
/// costs at most, in runs in the same kind of place and for calls of no smaller size class,
///   - three times the time that a tenth of the calls of a run do not exceed, because the quickest
///     ranks may only have handed over their data, or data of a smaller size;
///   - ten times the time of the quickest call, because in few calls all but the root may wait.
class MessageCosts {
 public:
  explicit MessageCosts(const std::vector<RunProfile>& runs);

  /// How much of a run's time in such calls was waiting: for each row of its MPI table, the seconds
  /// over all ranks; none in messages if all go through a hub (has_hub()). A completion call may be
  /// quick only because its message was under way while the receiver computed. So the cost of a
  /// completion is at least the shortest time that messages of its size were under way. Calls that
  /// ask for messages in vain (MPI_Test, MPI_Iprobe) are all waiting.
  std::vector<double> waited_s(const RunProfile& run) const;

 private:
  struct Cost {
    int size_class;
    double bytes;  // mean over calls
    double call_s;
  };
  using Kind = std::pair<std::string, std::string>;  // operation, peers
  void learn_messages(const RunProfile& run);
  void learn_hops(const RunProfile& run);
  /// Drops the costs that are never the least, of which there may be thousands.
  void keep_the_least();
  /// The cost of a call of the row. Absent if no call with messages of its size class or a larger
  /// one is known.
  std::optional<double> least_s(const MpiRow& row) const;

  /// The waiting in a row of a broadcast or reduction, over all ranks; 0 for other operations.
  double waited_along_tree_s(const RunProfile& run, const MpiRow& row) const;

  std::map<Kind, std::vector<Cost>> costs_;
  /// The least cost of a hop by operation, whether the run is on several nodes, and size class.
  std::map<std::pair<std::string, bool>, std::map<int, double>> hops_s_;
};

/// Whether every message of the run is from or to the same process, the hub, which handles one
/// after another. So what a process waits beyond the cost of its message are the messages of the
/// others.
bool has_hub(const RunProfile& run);

}  // namespace apmt
