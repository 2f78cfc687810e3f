// Which expression of the problem sizes stands for the work, when the user did not say.
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

/// `text`: the user's expression, or empty. Empty with one varying size n: the power n, n^2 or n^3
/// with which total compute time goes best (said in a warning unless it is n); with several: their
/// product; with none varying: the product of all sizes there are.
WorkChoice choose_work(const Experiment& experiment, const std::string& text);

}  // namespace apmt
