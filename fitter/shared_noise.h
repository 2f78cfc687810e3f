// How strongly the noise of a program's times correlates.
#pragma once

#include "fitter/model.h"

namespace apmt {

/// The fraction of the noise's variance that all times of the program share. Repetitions show it:
/// on a busy machine all kernels of a slow run are slow; on a quiet machine each kernel varies
/// independently. Without repetitions the fraction is a quarter, and with few repetitions it is
/// close to a quarter.
double shared_noise(const Model& model);

}  // namespace apmt
