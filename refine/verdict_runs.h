// Runs that would show whether computation or memory bounds a kernel, where the model is unsure.
// The costs that agree with the previous runs (MemorySplit::ways) would make such a run take
// different times, so its time would rule out some of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

struct VerdictRun {
  enum class Kind {
    kSmallData,  // at a problem size whose data fit into the caches: only the core takes time
    kSlowCore,   // with the cores at kSlowFrequency times their frequency
  };
  Kind kind = Kind::kSmallData;
  std::size_t kernel = 0;  // index in Model::kernels
  int procs = 0;           // the smallest profiled process count
  std::string bound;       // "compute" or "memory", the likelier one
  double probability = 0;  // of this bound
  /// Mean probability of the likelier bound after the run, over the times that the run may take.
  double expected_probability = 0;
  /// Of all repetitions, as long as at the profiled size and frequency.
  double core_hours = 0;
};

inline constexpr double kSlowFrequency = 0.7;

/// For kernels whose bound at `at` processes has a probability below 80 %: the runs that would
/// raise it, with `reps` repetitions. Sorted by falling gain of probability.
std::vector<VerdictRun> verdict_runs(const Model& model, int at, int reps);

}  // namespace apmt
