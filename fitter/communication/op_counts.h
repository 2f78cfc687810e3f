// How often each MPI operation was called, how many bytes it moved, and what its light calls cost.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitter/laws/law_catalog.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"
#include "fitter/runs/passes.h"

namespace apmt {

/// The calls and bytes of every operation at every point of an experiment, without laws; sorted by
/// name. `work` is D at each point.
std::vector<CountModel> count_ops(const Experiment& e, const std::vector<double>& work);

/// A law of counts may explain a time only if its relative residual is at most this.
inline constexpr double kWorstCountLaw = 0.2;

/// What a message and a byte cost within a node, relative to their cost between nodes.
struct CostWithinNode {
  double message = 1;
  double byte = 1;
};

/// Counts that stand for those of an operation: their sum is multiplied by no further factor.
using WeightedCounts = std::map<std::string, std::vector<CountModel>>;

/// The counts, if they have laws, of each collective of which a notable share of the calls is made
/// on communicators of fewer than all processes, multiplied by the factors of the usual algorithm
/// (passes.h): the calls are steps. With `within`, also of collectives that pass on messages along
/// a tree, because steps between nodes cost more.
WeightedCounts count_passed(const Experiment& e, const std::vector<double>& work,
                            const std::optional<CostWithinNode>& within, const LawCatalog& catalog);

/// For each operation that sends messages: the counts within a node, multiplied by their relative
/// cost, and the counts between nodes. Empty if an operation's counts have no laws, or if the
/// places of its messages are not known.
WeightedCounts count_by_place(const Experiment& e, const std::vector<double>& work,
                              const CostWithinNode& within, const LawCatalog& catalog);

LightCallsOf light_calls(const Experiment& experiment);

/// Whether every call of these operations moves few bytes.
bool are_light(const std::vector<std::string>& ops, const Experiment& experiment);

}  // namespace apmt
