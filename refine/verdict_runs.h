// Runs that would show whether computation or memory bounds a kernel, where the model is unsure.
// The costs that agree with the previous runs (MemorySplit::ways) would make such a run take
// different times, so its time would rule out some of them.
#pragma once

#include <vector>

#include "fitter/model/model.h"
#include "refine/next_runs_summary.h"

namespace apmt {

/// For kernels whose bound at `at` processes has a probability below 80 %: the runs, of `reps`
/// repetitions each, that are expected to raise this probability by at least 0.05. Sorted by
/// the gain of probability per core-hour, the largest first.
std::vector<VerdictRun> verdict_runs(const Model& model, int at, int reps);

}  // namespace apmt
