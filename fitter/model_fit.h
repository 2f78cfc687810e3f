// The steps of a fit, without the back-test that repeats them.
#pragma once

#include <functional>

#include "fitter/experiment.h"
#include "fitter/law_catalog.h"
#include "fitter/model.h"

namespace apmt {

/// Throws InputError when nothing can be fitted.
Model fit_points(const Experiment& experiment, const FitOptions& options,
                 const LawCatalog& catalog);

/// Asks a model of all but the largest process count about that one. `change`: what was done to
/// `model` after fit_points, to be done to this one as well.
Backtest run_backtest(const Experiment& experiment, const Model& model, const FitOptions& options,
                      const LawCatalog& catalog, const std::function<void(Model*)>& change = {});

}  // namespace apmt
