// Reference models, fitted to the same totals: a power law and the two models of the APMT paper
// (Nan et al., Worley et al.).
#pragma once

#include <vector>

#include "fitter/model.h"

namespace apmt {

/// `points`: totals in seconds. Residuals are relative. With fewer than two distinct points the
/// list is empty.
std::vector<Baseline> fit_baselines(const std::vector<FitPoint>& points);

}  // namespace apmt
