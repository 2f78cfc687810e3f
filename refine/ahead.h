// Calculates what predictions and reports say about process counts that the user did not ask for.
#pragma once

#include <optional>

#include "fitter/prediction/prediction.h"
#include "refine/ahead_summary.h"

namespace apmt {

/// How far the program scales, and which further run would narrow the interval of the prediction at
/// `target`; without Ahead::changes.
Ahead look_beyond(const Predictor& predictor, const Model& model, const Scenario& target,
                  std::optional<double> deadline_s = std::nullopt);

}  // namespace apmt
