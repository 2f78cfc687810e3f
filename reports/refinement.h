// The report of a refinement.
#pragma once

#include "refine/refinement_summary.h"
#include "reports/report.h"

namespace apmt {

/// The kernels before and after, as in Table 4 of the APMT paper, and why values are missing.
Report make_refinement_report(const Model& model, const RefinementSummary& summary);

}  // namespace apmt
