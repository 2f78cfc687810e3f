// The further run that a report recommends because it narrows the interval of a prediction.
#pragma once

#include <optional>

#include "refine/next_run.h"

namespace apmt {

/// Runs that narrow the interval at `target` are looked for on up to this many processes. 0 if none
/// are looked for, because `target` is a what-if or has other problem sizes: runs are proposed on
/// the profiled machine with the profiled sizes.
int narrowing_runs_up_to(const Scenario& target);

/// The cheapest run that narrows the interval at `target` by at least a tenth, and by at least 60 %
/// of what the best run achieves. Absent if there is none, or if none is looked for.
std::optional<NextRun> narrowing_run(const Model& model, const Scenario& target, int reps);

}  // namespace apmt
