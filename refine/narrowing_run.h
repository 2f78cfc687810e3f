// The further run that a report recommends because it narrows the interval of a prediction.
#pragma once

#include <optional>

#include "refine/next_run.h"

namespace apmt {

/// The largest process count of the runs that are examined to narrow the interval at `target`. 0
/// (no runs are examined) if `target` is a what-if or has other problem sizes: runs are proposed
/// only for the profiled machine and sizes.
int narrowing_runs_up_to(const Scenario& target);

/// The cheapest run that narrows the interval at `target` by at least a tenth, and by at least 60 %
/// of what the best run achieves. Absent if there is none, or if no runs are examined.
std::optional<NextRun> narrowing_run(const Model& model, const Scenario& target, int reps);

}  // namespace apmt
