// The steps of a fit, and the back-test, which repeats them without the largest process count.
#pragma once

#include <functional>

#include "fitter/experiment.h"
#include "fitter/law_catalog.h"
#include "fitter/model.h"

namespace apmt {

/// How much is fitted. kTimes fits only what predictions of times need: it leaves out counters that
/// do not explain times, the division into computation and memory, the kernels' own MPI calls, and
/// fitted values at the points.
enum class FitDepth { kWhole, kTimes };

/// Throws InputError if nothing can be fitted.
Model fit_points(const Experiment& experiment, const FitOptions& options, const LawCatalog& catalog,
                 FitDepth depth = FitDepth::kWhole);

/// Fits a model without the largest process count and predicts the time at that count. `change` is
/// what was done to `model` after fit_points(); it is also done to the model without that count.
Backtest run_backtest(const Experiment& experiment, const Model& model, const FitOptions& options,
                      const LawCatalog& catalog, const std::function<void(Model*)>& change = {});

}  // namespace apmt
