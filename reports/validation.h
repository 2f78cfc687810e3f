// The report that compares a model's predictions with measured runs.
#pragma once

#include <vector>

#include "fitter/prediction/validate.h"
#include "reports/report.h"

namespace apmt {

/// A table of all points, then the parts, operations and kernels at the largest process count that
/// the model was not fitted to, or else at the largest of all. `cautions`: how the runs differ from
/// those of the model (cautions_of_validation()).
Report make_validation_report(const Model& model, const std::vector<Validation>& validations,
                              const std::vector<std::string>& cautions = {});

}  // namespace apmt
