// The report of `apmt refine`.
#pragma once

#include "refine/refinement_summary.h"
#include "reports/report.h"

namespace apmt {

/// Compares the kernels before and after the refinement, as in Table 4 of the APMT paper, and says
/// why values are missing.
Report make_refinement_report(const Model& model, const RefinementSummary& summary);

}  // namespace apmt
