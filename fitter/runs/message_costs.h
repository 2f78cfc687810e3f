// The cost of messages of each kind, and of broadcasts and reductions (tree_costs.h). If a call
// takes longer than this cost, the excess is time spent waiting for a partner that computes longer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fitter/runs/tree_costs.h"
#include "profile/run_profile.h"

namespace apmt {

/// The cost of one call that sends, receives or completes messages, in seconds, by operation, kind
/// of partner (column "peer" of the MPI table) and mean size. It is taken over all runs of a
/// program, because messages of one size cost the same at every process count and in every
/// function. It is the least of
///   - MpiRow::message_s of each function and run: if several functions send similar messages, the
///     slower ones are assumed to wait;
///   - in profiles without message_s: the mean over the calls of one function in one run, and the
///     time that a tenth of the calls of a run do not exceed;
///   - the cost of larger messages;
///   - the cost of smaller messages of the same size class, in proportion to the size. (Messages of
///     smaller classes may be sent by another protocol.)
class MessageCosts {
 public:
  explicit MessageCosts(const std::vector<RunProfile>& runs);

  /// How much of a run's time in such calls was waiting: for each row of its MPI table, the seconds
  /// over all ranks; none in messages if all go through a hub (has_hub()). A completion call may be
  /// quick only because its message was under way while the receiver computed. So the cost of a
  /// completion is at least the shortest time that messages of its size were under way.
  std::vector<double> waited_s(const RunProfile& run) const;

 private:
  struct Cost {
    int size_class;
    double bytes;  // mean over calls
    double call_s;
  };
  using Kind = std::pair<std::string, std::string>;  // operation, peers
  void learn(const RunProfile& run);
  /// Drops the costs that are never the least, of which there may be thousands.
  void keep_the_least();
  /// The cost of a call of the row. Absent if no call with messages of its size class or a larger
  /// one is known.
  std::optional<double> least_s(const MpiRow& row) const;

  std::map<Kind, std::vector<Cost>> costs_;
  TreeCosts of_trees_;
};

/// Whether every message of the run is from or to the same process, the hub, as if a master gives
/// work to all others or collects their results. The hub handles one message after another, and so
/// does its link to the network. So what a process waits for a message beyond its own cost are the
/// messages of the others.
bool has_hub(const RunProfile& run);

}  // namespace apmt
