// The cost of broadcasts and reductions. If a call takes longer, the excess is time spent waiting
// for the root, or for a process on the way to it, that computes longer.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "profile/run_profile.h"

namespace apmt {

/// Whether the operation is MPI_Bcast or MPI_Reduce, which pass data on along a tree. In other
/// collectives with a root, such as MPI_Gather, the root handles the data of all ranks, so the
/// others wait for the data of each other.
bool is_along_tree(const std::string& op);

/// A call on a communicator of P ranks costs at most 1 + log2(P) hops. A hop costs at most
///   - three times the time that a tenth of the calls of a run do not exceed, because the quickest
///     ranks may only have handed over their data, or data of a smaller size;
///   - ten times the time of the quickest call, because in few calls all but the root may wait.
/// It is the least over all runs in the same kind of place (one node or several), and over calls of
/// the same or a larger size class.
class TreeCosts {
 public:
  void learn(const RunProfile& run);
  /// The waiting in a row of the run's MPI table, in seconds over all ranks; 0 for other
  /// operations.
  double waited_s(const RunProfile& run, const MpiRow& row) const;

 private:
  using Kind = std::pair<std::string, bool>;  // the operation; whether the run is on several nodes
  std::map<Kind, std::map<int, double>> hops_s_;  // by size class
};

}  // namespace apmt
