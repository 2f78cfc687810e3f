// The report of `apmt analyze`.
#pragma once

#include "kernels/analysis.h"
#include "reports/report.h"

namespace apmt {

/// A dozen sentences and a table of loops for each kernel.
Report make_analysis_report(const kernels::Analysis& analysis);

}  // namespace apmt
