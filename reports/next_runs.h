// The report of `apmt refine --plan`.
#pragma once

#include "fitter/model/model.h"
#include "refine/next_runs_summary.h"
#include "reports/report.h"

namespace apmt {

/// Says which runs would narrow the interval of a prediction or show what bounds a kernel.
Report make_next_runs_report(const Model& model, const NextRunsSummary& next);

/// "12 core-hours".
std::string core_hours_text(double hours);

}  // namespace apmt
