// Fits a model to an experiment.
#pragma once

#include <functional>

#include "fitter/laws/law_catalog.h"
#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Throws InputError if an option makes no sense.
void check_options(const FitOptions& options);

/// A model with its back-test. Throws InputError with ExitCode::kNotEnoughData if the experiment is
/// too small for a model.
Model fit(const Experiment& experiment, const FitOptions& options);

/// A model without a back-test. Throws InputError if nothing can be fitted.
Model fit_points(const Experiment& experiment, const FitOptions& options, const LawCatalog& catalog,
                 FitDepth depth = FitDepth::kWhole);

/// Sets `fitted_s` of each point to the sum of the laws of all parts. Warns, in place of an earlier
/// such warning, if the laws miss a point by far, because such a model cannot be extrapolated.
void compare_with_points(Model* model);

/// A model without a back-test of the runs that are not at the largest process count of `model`,
/// with its work. They must be at two process counts or more.
Model fit_without_largest(const Experiment& experiment, const Model& model, FitOptions options,
                          const LawCatalog& catalog, FitDepth depth = FitDepth::kWhole);

/// Predicts the time at the largest process count by fit_without_largest(). `change` is what was
/// done to `model` after fit_points(); it is also done to the model without that count.
Backtest run_backtest(const Experiment& experiment, const Model& model, const FitOptions& options,
                      const LawCatalog& catalog, const std::function<void(Model*)>& change = {});

}  // namespace apmt
