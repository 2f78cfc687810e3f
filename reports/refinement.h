// The report of a refinement.
#pragma once

#include "refine/refinement_summary.h"
#include "reports/report.h"

namespace apmt {

/// The kernels before and after, as in the paper's Table 4, and the reasons for missing values.
Report make_refinement_report(const Model& model, const RefinementSummary& summary);

}  // namespace apmt
