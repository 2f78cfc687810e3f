// Renders reports as text, as one HTML page or as CSV: UTF-8 with a final newline.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace apmt {

/// For a terminal: no line is wider than `width` (at least 60) columns. Sentences use 100 at most.
std::string render_text(const Report& report, int width = 100, bool colour = false);

/// One self-contained page.
std::string render_html(const Report& report);

/// Writes every cell of every table on a line of its own, a range on two lines:
/// table,row,name,quantity,unit,source,value. The first cell of a row is its name. Numbers are in
/// the C locale, in the shortest form that reads back as the same number; an unknown cell has no
/// line.
std::string render_csv(const Report& report);

/// The report's sentences, tables and some charts; each number has its unit and its source
/// (docs/formats-outputs.md).
Json to_json(const Report& report);

/// One table: a header line with units, then one line per row.
std::string render_csv(const ReportTable& table);

/// `apmt predict`, `apmt fit` and `apmt info` on a terminal.
std::string render_prediction_text(const Model& model, const std::vector<Prediction>& predictions,
                                   int width = 100, bool colour = false);
std::string render_fit_text(const Model& model, int width = 100, bool colour = false);
std::string render_experiment_text(const Experiment& experiment, int width = 100,
                                   bool colour = false);
std::string render_profile_text(const RunProfile& profile, int width = 100, bool colour = false);

}  // namespace apmt
