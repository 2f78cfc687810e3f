// What predict and report tell about process counts beyond those that the user asked for.
#pragma once

#include <optional>

#include "fitter/prediction.h"
#include "reports/report.h"

namespace apmt {

/// How far the program scales; and which run would narrow the interval at `target` by at least a
/// tenth: the cheapest of those that are nearly as good as the best.
Ahead look_beyond(const Predictor& predictor, const Model& model, const Scenario& target,
                  std::optional<double> deadline_s = std::nullopt);

}  // namespace apmt
