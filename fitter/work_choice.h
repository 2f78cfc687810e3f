// The expression of the problem sizes that is used as the work if the user gave none.
#pragma once

#include <string>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/work.h"

namespace apmt {

struct WorkChoice {
  WorkExpression expression;
  std::vector<double> at_points;      // D at every point of the experiment; all 1 without sizes
  std::vector<std::string> warnings;  // what was assumed
};

/// `text`: the user's expression, or empty. If empty: with one varying size n, the power n, n^2 or
/// n^3 that total compute time follows best (mentioned in a warning unless it is n); with several,
/// their product; with none, the product of all sizes.
WorkChoice choose_work(const Experiment& experiment, const std::string& text);

}  // namespace apmt
