// What the times of one program have in common when they are off.
#pragma once

#include "fitter/model.h"

namespace apmt {

/// Of the variance of the times' noise, the part that all times of the program share. Repetitions
/// show it: on a busy machine all kernels of a run are slow together, on a quiet one each varies
/// alone. Without repetitions, and against few, a quarter.
double shared_noise(const Model& model);

}  // namespace apmt
