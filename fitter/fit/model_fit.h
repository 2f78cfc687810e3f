// The steps of a fit.
#pragma once

#include "fitter/laws/law_catalog.h"
#include "fitter/model/fit_options.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// How much is fitted. kTimes fits only what predictions of times need: it leaves out counters that
/// do not explain times, the division into computation and memory, the kernels' own MPI calls, and
/// fitted values at the points.
enum class FitDepth { kWhole, kTimes };

/// Throws InputError if nothing can be fitted.
Model fit_points(const Experiment& experiment, const FitOptions& options, const LawCatalog& catalog,
                 FitDepth depth = FitDepth::kWhole);

}  // namespace apmt
