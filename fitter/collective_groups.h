// Divides the time in collectives among the operations. Operations grow differently with the
// process count, so each one that takes much of the time gets a law of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fitter/experiment.h"

namespace apmt {

/// The collectives of one operation, or of all operations that take little time.
struct CollectiveGroup {
  std::string name;  // of the operation, or kOtherCollectives (prediction.h)
  std::vector<std::string> ops;
  std::vector<std::optional<Measured>> seconds;  // by point: per rank, without waiting
};

/// Sorted by falling share of the time in collectives at any point, the others last. Empty if the
/// runs have only one operation, or do not show the time of each.
std::vector<CollectiveGroup> collective_groups(const Experiment& experiment);

}  // namespace apmt
