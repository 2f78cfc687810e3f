// The further run that a report recommends because it narrows the interval of a prediction.
#pragma once

#include <optional>

#include "refine/next_run.h"

namespace apmt {

/// The cheapest run that narrows the interval at `target` by at least a tenth, and by at least 60 %
/// of what the best run achieves. Absent if there is none. Also absent if `target` is a what-if or
/// has other problem sizes, because runs are proposed on the profiled machine with the profiled
/// sizes.
std::optional<NextRun> narrowing_run(const Model& model, const Scenario& target, int reps);

}  // namespace apmt
