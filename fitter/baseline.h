// The paper's two reference models and a power law, fitted to the same totals (Nan et al., Worley
// et al., as in the APMT paper).
#pragma once

#include <vector>

#include "fitter/model.h"

namespace apmt {

/// `points`: totals in seconds. Residuals are relative. With fewer than two distinct points there
/// are no baselines.
std::vector<Baseline> fit_baselines(const std::vector<FitPoint>& points);

}  // namespace apmt
