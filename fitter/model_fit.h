// The steps of a fit, without the back-test that repeats them.
#pragma once

#include <functional>

#include "fitter/experiment.h"
#include "fitter/law_catalog.h"
#include "fitter/model.h"

namespace apmt {

/// kTimes: only what predictions of times are made of; no counters that explain none, no memory
/// apart from computation, no fitted values at the points.
enum class FitDepth { kWhole, kTimes };

/// Throws InputError when nothing can be fitted.
Model fit_points(const Experiment& experiment, const FitOptions& options, const LawCatalog& catalog,
                 FitDepth depth = FitDepth::kWhole);

/// Fits a model without the largest process count and predicts that count. `change`: what was done
/// to `model` after fit_points; it is done to this model as well.
Backtest run_backtest(const Experiment& experiment, const Model& model, const FitOptions& options,
                      const LawCatalog& catalog, const std::function<void(Model*)>& change = {});

}  // namespace apmt
