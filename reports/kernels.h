// The report of `apmt analyze`.
#pragma once

#include "kernels/analysis.h"
#include "reports/report.h"

namespace apmt {

/// For each kernel, about a dozen sentences, a table of loops and a table of idioms.
Report make_analysis_report(const kernels::Analysis& analysis);

}  // namespace apmt
