// Fits c0 + c1 * exp(c2 * P), the only law that is not linear in its coefficients.
#pragma once

#include <optional>
#include <vector>

#include "fitter/laws/law.h"

namespace apmt {

/// Weighted nonlinear least squares with Ceres, robust against one bad point (Huber). Returns
/// nothing if it does not converge. `weight` multiplies the residuals.
std::optional<Hypothesis> fit_exponential(const std::vector<FitPoint>& points,
                                          const std::vector<double>& weight);

}  // namespace apmt
