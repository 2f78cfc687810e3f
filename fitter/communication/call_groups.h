// Divides the time in collectives among their operations, and the time in messages among blocking
// calls, MPI_Sendrecv and non-blocking calls, because each may grow differently with the process
// count. Waiting moves from one call to another, so only that for the root of broadcasts and
// reductions is set apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fitter/model/model_parts.h"
#include "fitter/runs/experiment.h"

namespace apmt {

struct CallGroup {
  std::string name;  // of the operation, or kBlocking, kOtherMessages, kAlongTrees... (model.h)
  std::vector<std::string> ops;
  std::vector<std::optional<Measured>> seconds;  // by point, per rank
};

/// The groups of Part::kCommP2p, kCommColl or kCommWait. The group with the largest share of the
/// time at any point comes first, the group of all others last. Empty if there is only one group,
/// if a large group takes no time at some point, or if the runs do not show the time of each group.
std::vector<CallGroup> call_groups(const Experiment& experiment, Part part);

}  // namespace apmt
