// How strongly the noise of a program's times correlates.
#pragma once

#include "fitter/model/model.h"

namespace apmt {

/// The fraction of the noise's variance that all times of the program share. Repetitions show it:
/// on a busy machine all kernels of a slow run are slow; on a quiet machine each kernel varies
/// independently. Without repetitions, a quarter is assumed. This assumption has the weight of
/// one degree of freedom, so repetitions soon outweigh it.
double shared_noise(const Model& model);

}  // namespace apmt
