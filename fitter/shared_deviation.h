// What the times of one program have in common when they are off.
#pragma once

#include "fitter/model.h"

namespace apmt {

/// Of the variance of a time's deviation from what was predicted, the part that all times of the
/// program share. Half of that variance comes from the noise of its points (the other half is which
/// curve it follows, each time its own); and how much of the noise is shared, repetitions tell: a
/// busy machine makes all kernels of a run slow at once, a quiet one each by itself. Without
/// repetitions, and against few, a quarter.
double shared_deviation(const Model& model);

}  // namespace apmt
