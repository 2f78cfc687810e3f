// What lies beyond the process counts asked for, for predict and report.
#pragma once

#include <optional>

#include "fitter/prediction.h"
#include "reports/report.h"

namespace apmt {

/// How far it scales, and the run that would narrow the interval at `target` by a tenth at least:
/// the cheapest of those that are nearly as good as the best.
Ahead look_beyond(const Predictor& predictor, const Model& model, const Scenario& target,
                  std::optional<double> deadline_s = std::nullopt);

}  // namespace apmt
