// The back-test of a model: the fit is repeated without the largest process count.
#pragma once

#include <functional>

#include "fitter/laws/law_catalog.h"
#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Fits a model without the largest process count and predicts the time at that count. `change` is
/// what was done to `model` after fit_points(); it is also done to the model without that count.
Backtest run_backtest(const Experiment& experiment, const Model& model, const FitOptions& options,
                      const LawCatalog& catalog, const std::function<void(Model*)>& change = {});

}  // namespace apmt
