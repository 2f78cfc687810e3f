// The report of `apmt analyze`.
#pragma once

#include "kernels/analysis.h"
#include "reports/report.h"

namespace apmt {

/// Sentences about one kernel, with tables of its loops and idioms.
ReportSection kernel_section(const kernels::KernelAnalysis& kernel);

/// For each kernel, about a dozen sentences, a table of loops and a table of idioms.
Report make_analysis_report(const kernels::Analysis& analysis);

}  // namespace apmt
