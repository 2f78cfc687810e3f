// Reference models, fitted to total times for comparison with predictions: a power law and the two
// models of the APMT paper (Nan et al., Worley et al.).
#pragma once

#include <vector>

#include "fitter/model/model.h"

namespace apmt {

/// `points` are total times in seconds. The fits minimise relative residuals. With fewer than two
/// distinct points the result is empty.
std::vector<Baseline> fit_baselines(const std::vector<FitPoint>& points);

}  // namespace apmt
