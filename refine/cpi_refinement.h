// Refines the model of computation: fits CPI_core and the blocking factor BF_mem of each kernel to
// runs at several core frequencies, or to runs whose memory cycles per instruction differ, and adds
// them to the model.
#pragma once

#include <vector>

#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"
#include "refine/cpi_observation.h"
#include "refine/refinement_summary.h"

namespace apmt {

/// Refines `model`, which `fit` made from `experiment`. `runs` are all runs, including those of the
/// experiment. The replaced values are kept in KernelModel::refined. Throws InputError (exit 3) if
/// no kernel has a CPI in any of the runs.
RefinementSummary refine_cpi(const Experiment& experiment, const std::vector<FrequencyRun>& runs,
                             const MemoryCosts& costs, const FitOptions& fit, Model* model);

}  // namespace apmt
