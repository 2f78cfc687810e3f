// Calculates what `apmt predict` and `apmt report` say about process counts that the user did not
// ask for.
#pragma once

#include <optional>

#include "fitter/prediction/prediction.h"
#include "reports/report.h"

namespace apmt {

/// How far the program scales, and which further run would narrow the interval of the prediction at
/// `target`.
Ahead look_beyond(const Predictor& predictor, const Model& model, const Scenario& target,
                  std::optional<double> deadline_s = std::nullopt);

}  // namespace apmt
