// Errors of predicted times, for kernels outside the training data.
#pragma once

#include <optional>

#include "devices/learned/baselines.h"
#include "devices/learned/question.h"
#include "devices/learned/splits.h"

namespace apmt::learned {

struct TimeErrors {
  double mean = 0;  // of |predicted / measured - 1|
  double median = 0;
};

struct TimeMethod {
  std::optional<LearnerKind> learner;
  Baseline baseline = Baseline::kMajority;  // kMajority: the geometric mean of the training times
  std::uint64_t seed = 1;
  int trees = 100;
};

/// Throws InputError (not enough data) if a method cannot predict times. The bandwidth baseline
/// uses the kernel's own time on the reference device; learners do not.
TimeErrors time_errors(const DataSet& data, const AskedLesson& asked, const Question& question,
                       const std::vector<Fold>& folds, const TimeMethod& method);

}  // namespace apmt::learned
