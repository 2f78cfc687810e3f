// The pieces of the HTML report.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.h"

namespace apmt {

/// Escapes any text, for element content and for attributes in double or single quotes.
std::string html_text(std::string_view text);

/// Drawings as inline SVG with an alternative text; colours are classes of the style sheet.
std::string html_time_chart(const TimeChart& chart);
std::string html_curve_chart(const CurveChart& chart);
std::string html_parts_chart(const PartsChart& chart);
std::string html_history_chart(const HistoryChart& chart);
std::string html_efficiency_tree(const EfficiencyTree& tree);
std::string html_roofline(const RooflineChart& chart);
std::string html_matrix_chart(const MatrixChart& chart);
std::string html_kiviat(const KiviatChart& chart);
std::string html_levels(const LevelsChart& chart);
std::string html_distances(const DistanceChart& chart);

/// The range of process counts, common to all small plots of a table.
struct PlotRange {
  double first = 1;
  double last = 1;
};
PlotRange plot_range(const ReportTable& table);
std::string html_sparkline(const Sparkline& sparkline, const PlotRange& range);

std::string_view html_style();
std::string_view html_script();

/// The section with the sliders: the table, the evaluator, the controls.
std::string html_what_if(const Json& table);
/// JavaScript that evaluates the model: one function in two halves, single laws and the model.
std::string_view html_evaluator_of_laws();
std::string_view html_evaluator_of_models();
std::string_view html_what_if_script();

}  // namespace apmt
