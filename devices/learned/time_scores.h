// Errors of times that are said for kernels not learned from.
#pragma once

#include <optional>

#include "devices/learned/baselines.h"
#include "devices/learned/question.h"
#include "devices/learned/splits.h"

namespace apmt::learned {

struct TimeErrors {
  double mean = 0;  // of |said / measured - 1|
  double median = 0;
};

struct TimeMethod {
  std::optional<LearnerKind> learner;
  Baseline baseline = Baseline::kMajority;  // the mean of those learned from
  std::uint64_t seed = 1;
  int trees = 100;
};

/// Throws InputError (not enough data) where a method says no times. The ratio of bandwidths is
/// given the kernel's own time on the reference, which no learner has.
TimeErrors time_errors(const DataSet& data, const AskedLesson& asked, const Question& question,
                       const std::vector<Fold>& folds, const TimeMethod& method);

}  // namespace apmt::learned
