// The report of `apmt analyze --join`.
#pragma once

#include "fitter/kernels/kernel_join.h"
#include "reports/report.h"

namespace apmt {

/// How much of a run's compute time an analysis covers, what each function did in its time, and
/// which functions lack counts or a time.
Report make_join_report(const KernelJoin& join);

}  // namespace apmt
