// What the times of one program have in common when they are off.
#pragma once

#include "fitter/model.h"

namespace apmt {

/// Of the variance of the times' noise, the part that all times of the program share. Repetitions
/// tell: a busy machine makes all kernels of a run slow at once, a quiet one each by itself.
/// Without repetitions, and against few, a quarter.
double shared_noise(const Model& model);

}  // namespace apmt
