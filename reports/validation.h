// Compares a model's predictions with runs that it was not fitted to.
#pragma once

#include <vector>

#include "fitter/prediction/validate.h"
#include "reports/report.h"

namespace apmt {

/// A table of all points, then the parts, operations and kernels at the largest process count that
/// the model was not fitted to.
Report make_validation_report(const Model& model, const std::vector<Validation>& validations);

}  // namespace apmt
