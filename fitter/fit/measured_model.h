// Measurements in the form of a model without laws. With one process count there is no scaling to
// model, but two such experiments can be compared.
#pragma once

#include <optional>
#include <vector>

#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Points, kernels and parts as fit() would give them; of `options`, only the work and the
/// threshold are used. There are no laws, so the model cannot predict.
Model measured_model(const Experiment& experiment, const FitOptions& options);

/// A model with the experiment's name, grade, scaling and warnings, and nothing else. fit() begins
/// with it, too.
Model described_model(const Experiment& experiment, double threshold);
/// The measured values of one point; no coverage and no fitted times.
ModelPoint measured_point(const ExperimentPoint& point, double work);
/// The times of one part, at the points where it was measured; `work` is D at every point.
std::vector<FitPoint> measured_points(const Experiment& experiment, const std::vector<double>& work,
                                      std::optional<Measured> MeasuredParts::*part);

}  // namespace apmt
