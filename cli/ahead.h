// What predict and report say about process counts beyond those that the user asked for.
#pragma once

#include <optional>

#include "fitter/prediction.h"
#include "reports/report.h"

namespace apmt {

/// How far the program scales, and the cheapest run that narrows the interval at `target` by at
/// least a tenth and nearly as much as the best run does.
Ahead look_beyond(const Predictor& predictor, const Model& model, const Scenario& target,
                  std::optional<double> deadline_s = std::nullopt);

}  // namespace apmt
