// Measurements in the form of a model without laws. With one process count there is no scaling to
// model, but two such experiments can be compared.
#pragma once

#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Points, kernels and parts as fit() would give them; of `options`, only the work and the
/// threshold are used. There are no laws, so the model cannot predict.
Model measured_model(const Experiment& experiment, const FitOptions& options);

}  // namespace apmt
