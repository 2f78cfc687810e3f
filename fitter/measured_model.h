// What was measured, in the form of a model without laws: one process count says nothing about
// scaling, but two experiments of it can be held against each other.
#pragma once

#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// Points, kernels and parts as fit() would give them; of `options` the work and the threshold
/// count. No law is there, so nothing can be predicted with it.
Model measured_model(const Experiment& experiment, const FitOptions& options);

}  // namespace apmt
