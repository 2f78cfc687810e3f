// What lies beyond the process counts that the user asked for, in the form that a report shows.
#pragma once

#include <optional>
#include <vector>

#include "fitter/prediction/outlook.h"

namespace apmt {

/// A further run that would narrow the prediction interval at the largest process count asked for.
struct NarrowingRun {
  int procs = 0;
  int reps = 0;
  double core_hours = 0;  // all repetitions together
  double gain = 0;        // the share of its width that the interval would lose
};

/// How far the program scales, also beyond the process counts asked for, and what would change
/// that.
struct Ahead {
  Outlook outlook;
  std::optional<NarrowingRun> run;       // absent if no examined run narrows the interval enough
  std::vector<HalvedCost> changes = {};  // at the largest process count asked for
  /// Runs on up to this many processes were examined; 0: none, because the prediction is a what-if
  /// or has other problem sizes.
  int runs_up_to = 0;
};

}  // namespace apmt
