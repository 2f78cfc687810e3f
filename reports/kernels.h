// The report of `apmt analyze`.
#pragma once

#include "kernels/analysis.h"
#include "reports/report.h"

namespace apmt {

/// The same for one kernel.
ReportSection kernel_section(const kernels::KernelAnalysis& kernel);

/// A dozen sentences and a table of loops for each kernel.
Report make_analysis_report(const kernels::Analysis& analysis);

}  // namespace apmt
