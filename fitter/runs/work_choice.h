// Chooses the expression of the problem sizes that is the work, if the user gave none.
#pragma once

#include <string>
#include <vector>

#include "fitter/runs/experiment.h"
#include "fitter/runs/work.h"

namespace apmt {

struct WorkChoice {
  WorkExpression expression;
  std::vector<double> at_points;      // D at every point; all 1 if there are no sizes
  std::vector<std::string> warnings;  // the assumptions that were made
};

/// `text` is the user's expression. If it is empty, the work depends on the sizes that vary between
/// the runs:
/// - one varying size n: the power n, n^2 or n^3 that total compute time follows best (a warning
///   mentions it unless it is n);
/// - several varying sizes: their product;
/// - none: the product of all sizes above 0.
WorkChoice choose_work(const Experiment& experiment, const std::string& text);

}  // namespace apmt
