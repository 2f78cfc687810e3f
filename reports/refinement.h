// What a refinement found, as a report.
#pragma once

#include "refine/refinement_summary.h"
#include "reports/report.h"

namespace apmt {

/// The kernels before and after, as the paper's Table 4, and why a line is none.
Report make_refinement_report(const Model& model, const RefinementSummary& summary);

}  // namespace apmt
