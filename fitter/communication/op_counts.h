// How often each MPI operation was called, and how many bytes it moved.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitter/laws/law.h"
#include "fitter/laws/law_catalog.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Counts summed over all ranks, at every point of an experiment.
struct OpCounts {
  std::string op;               // "MPI_Allreduce"
  std::string op_class;         // as in the MPI table
  std::vector<FitPoint> calls;  // calls with a partner
  std::vector<FitPoint> bytes;  // bytes sent; received if the operation sends none
};

/// Sorted by name. `work` is D at each point.
std::vector<OpCounts> count_ops(const Experiment& e, const std::vector<double>& work);

/// A law of counts may explain a time only if its relative residual is at most this.
inline constexpr double kWorstCountLaw = 0.2;

/// Counts of an operation that are multiplied by factors before they are summed over all ranks. If
/// a collective is also called on communicators of fewer than all processes, or if messages
/// between nodes cost more, these are the factors of the usual algorithm (passes.h).
struct PassedCounts {
  std::vector<FitPoint> steps;
  std::vector<FitPoint> bytes;
  CountLaw steps_law = {};
  CountLaw bytes_law = {};
};

/// What a message and a byte cost within a node, relative to their cost between nodes.
struct CostWithinNode {
  double message = 1;
  double byte = 1;
};

/// The counts, if they have laws, of each collective of which a notable share of the calls is made
/// on communicators of fewer than all processes. With `within`, also of those that pass on messages
/// along a tree. (Others, such as MPI_Alltoall, share the network in ways that a cost of messages
/// does not describe.)
std::map<std::string, PassedCounts> count_passed(const Experiment& e,
                                                 const std::vector<double>& work,
                                                 const std::optional<CostWithinNode>& within,
                                                 const LawCatalog& catalog);

/// For each operation that sends messages: the counts within a node, multiplied by their relative
/// cost, and the counts between nodes. Empty if an operation's counts have no laws, or if the
/// places of its messages are not known.
std::map<std::string, std::vector<PassedCounts>> count_by_place(const Experiment& e,
                                                                const std::vector<double>& work,
                                                                const CostWithinNode& within,
                                                                const LawCatalog& catalog);

}  // namespace apmt
