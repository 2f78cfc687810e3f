// The whole of a fit: a model with its back-test.
#pragma once

#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Throws InputError with ExitCode::kNotEnoughData if the experiment is too small for a model.
Model fit(const Experiment& experiment, const FitOptions& options);

}  // namespace apmt
