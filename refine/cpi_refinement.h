// The refinement of computation: CPI_core and BF_mem of each kernel from runs at several core
// frequencies, or whose memory cycles per instruction differ, put into the model.
#pragma once

#include <vector>

#include "fitter/experiment.h"
#include "fitter/model.h"
#include "refine/cpi_observation.h"
#include "refine/refinement_summary.h"

namespace apmt {

/// Refines `model`, which `fit` made of `experiment`. `runs` are all there are, those of the
/// experiment included. What was replaced is kept in KernelModel::refined. Throws InputError (exit
/// 3) when no kernel has a CPI in any of the runs.
RefinementSummary refine_cpi(const Experiment& experiment, const std::vector<FrequencyRun>& runs,
                             const MemoryCosts& costs, const FitOptions& fit, Model* model);

}  // namespace apmt
