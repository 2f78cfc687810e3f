// The steps of a fit.
#pragma once

#include "fitter/laws/law_catalog.h"
#include "fitter/model/fit_options.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Throws InputError if nothing can be fitted.
Model fit_points(const Experiment& experiment, const FitOptions& options, const LawCatalog& catalog,
                 FitDepth depth = FitDepth::kWhole);

}  // namespace apmt
