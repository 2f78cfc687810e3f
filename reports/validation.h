// Compares a model's predictions with runs that it was not fitted to.
#pragma once

#include <vector>

#include "fitter/validate.h"
#include "reports/report.h"

namespace apmt {

/// All points in one table; parts and kernels of the largest process count.
Report make_validation_report(const Model& model, const std::vector<Validation>& validations);

}  // namespace apmt
