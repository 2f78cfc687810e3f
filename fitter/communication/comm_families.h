// How the time of MPI operations may depend on their numbers of calls and bytes. A *family* assumes
// that it is the sum of some of these counts, each multiplied by a unit cost.
#pragma once

#include <string>
#include <vector>

#include "fitter/communication/op_counts.h"
#include "fitter/model/model.h"

namespace apmt {

using CountedOps = std::vector<const CountModel*>;

/// What is known before the times of a part are fitted.
struct KnownCosts {
  LightCallsOf light;  // collectives that move few bytes, in the runs or in the machine profile
  std::optional<Feature::Expected> message = {};  // the cost of a message
  std::optional<Feature::Expected> byte = {};     // the cost of a byte in messages
  bool few_bytes = false;             // the operations move so few bytes that these cost nothing
  bool has_hub = false;               // all messages go through one process (message_costs.h)
  std::vector<FitPoint> points = {};  // of the law of time
  WeightedCounts weighted = {};  // of collectives (count_passed) or of messages (count_by_place)
  /// If these counts depend on the place of messages: how much of a message between nodes one
  /// within a node counts. The costs above are then those between nodes.
  std::optional<CostWithinNode> within = {};
  double ahead = 0;            // laws of counts are compared at this process count and
  double work_ahead = 1;       // this work
  double linear_exponent = 0;  // D^linear_exponent is the problem's linear size; D = n^3: 1/3
};

/// The families for the part "p2p" or "coll"; other parts have none. If several laws agree with the
/// counts, each family has up to two variants with the smallest and the largest counts at
/// `known.ahead` processes. Together, these have the probability, at most one half, that not all
/// laws are the likeliest ones.
std::vector<CountFamily> families_for(const std::string& part, const CountedOps& ops,
                                      const KnownCosts& known);

}  // namespace apmt
