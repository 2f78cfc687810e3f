// The history of a program's times: what changed at which version.
#pragma once

#include "fitter/history.h"
#include "reports/report.h"

namespace apmt {

/// The last change of the elapsed time, then every change, charts of the first series, and the
/// times of all versions.
Report make_history_report(const History& history);

}  // namespace apmt
