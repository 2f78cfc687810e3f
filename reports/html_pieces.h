// The pieces from which the HTML report is put together.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.h"

namespace apmt {

/// Escapes any text, for element content and for attributes in double or single quotes.
std::string html_text(std::string_view text);

/// Drawings with an alternative text, mostly as inline SVG; classes of the style sheet give them
/// their colours.
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

/// The range of process counts that all small plots of a table share.
struct PlotRange {
  double first = 1;
  double last = 1;
};
PlotRange plot_range(const ReportTable& table);
std::string html_sparkline(const Sparkline& sparkline, const PlotRange& range);

std::string_view html_style();
std::string_view html_script();

/// The what-if section: the evaluation table as JSON, the evaluator, and the sliders.
std::string html_what_if(const Json& table);
/// JavaScript that evaluates the model. It is one function, in three pieces only because of its
/// length: the first one evaluates single laws, the second the posteriors that laws consist of, the
/// third the whole model.
std::string_view html_evaluator_of_laws();
std::string_view html_evaluator_of_posteriors();
std::string_view html_evaluator_of_models();
/// JavaScript of the sliders and of the answer below them.
std::string_view html_what_if_script();

}  // namespace apmt
