// The report of a model as one HTML page, and the drawing for the list of applications.
#pragma once

#include <string>

#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"
#include "reports/report.h"

namespace apmt::service {

/// The page of `apmt report --html` for the same runs.
std::string report_page(const Model& model, const Experiment& experiment);

/// Measured times, and predicted times for process counts from the smallest profiled one to eight
/// times the largest.
Sparkline sparkline_of(const Model& model);
std::string sparkline_text(const Sparkline& sparkline);
Sparkline sparkline_from(const std::string& text);

}  // namespace apmt::service
