// Decides what bounds a kernel: the core, the memory, the network, or the ranks that it waits for.
// The bound is the one whose improvement would shorten the kernel's time (including its own MPI
// calls) most, judged over all draws.
#pragma once

#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/prediction.h"
#include "fitter/prediction/scenario_sizes.h"

namespace apmt {

/// If at least this share of all compute time is divided into computation and memory time, the rest
/// counts as computation.
inline constexpr double kEnoughSplit = 0.9;

/// Process counts at which bounds change are sought up to this multiple of the largest P.
inline constexpr double kHorizon = 1024;

/// Fills in, for each kernel of a prediction, the bound, its probability, the process count from
/// which another bound holds, and the time in the kernel's own MPI calls.
void judge_kernels(const Model& model, const ModelDraws& laws, const ScenarioSizes& sizes,
                   const WhatIfEffect& effect, Prediction* prediction);

}  // namespace apmt
