// The report of `apmt history`: how a program's times changed from version to version.
#pragma once

#include "history/history.h"
#include "reports/report.h"

namespace apmt {

/// States the last change of the elapsed time, then every change, charts of the first few series
/// (History::series), and the times of all versions.
Report make_history_report(const History& history);

}  // namespace apmt
