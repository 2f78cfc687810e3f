// The HTML chart of times against versions: a point per version, and a line for each constant level
// between two changes.
#include <algorithm>

#include "reports/html_pieces.h"
#include "reports/html_svg.h"
#include "reports/numbers.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr double kChartHeight = 220;
constexpr double kLow = kChartHeight - 44;  // y coordinate of the horizontal axis

struct Axes {
  std::size_t versions = 1;
  double most_s = 1;
  double x(double version) const {
    const double steps = static_cast<double>(std::max<std::size_t>(versions, 2) - 1);
    return kLeft + 12 + (kWidth - kLeft - kRight - 24) * version / steps;
  }
  /// The vertical axis begins at zero, so that a change of 5 % looks as small as it is.
  double y(double seconds) const { return kLow - (kLow - kTop) * seconds / most_s; }
};

std::string frame(const HistoryChart& chart, const Axes& axes) {
  std::string out;
  for (const double part : {0.0, 0.5, 1.0}) {
    const double seconds = part * axes.most_s / 1.1;
    out += svg_line(kLeft, axes.y(seconds), kWidth - kRight, axes.y(seconds),
                    part == 0 ? "axis" : "grid");
    out += svg_text(kLeft - 8, axes.y(seconds) + 4, "tick end", format_seconds(seconds, 2));
  }
  constexpr std::size_t kLabels = 6;
  const std::size_t step =
      std::max<std::size_t>(1, (chart.versions.size() + kLabels - 1) / kLabels);
  constexpr std::size_t kLabelWidth = 10;
  std::vector<AxisLabel> labels;
  for (std::size_t v = 0; v < chart.versions.size(); v += step) {
    labels.push_back(
        {axes.x(static_cast<double>(v)), printable(chart.versions[v].substr(0, kLabelWidth))});
  }
  out += svg_axis_labels(labels, kLow);
  return out;
}

}  // namespace

std::string html_history_chart(const HistoryChart& chart) {
  Axes axes{chart.versions.size(), 0};
  for (const std::optional<double>& s : chart.seconds)
    axes.most_s = std::max(axes.most_s, s.value_or(0));
  if (!(axes.most_s > 0)) return {};
  axes.most_s *= 1.1;
  std::string out = "<figure><figcaption>" + html_text(chart.title) +
                    "</figcaption><svg class=\"chart\" role=\"img\" viewBox=\"0 0 " + at(kWidth) +
                    " " + at(kChartHeight) + "\" aria-label=\"" + html_text(chart.description) +
                    "\">" + frame(chart, axes);
  for (const HistoryChart::Level& level : chart.levels) {
    const double last = static_cast<double>(chart.versions.size()) - 1;
    const double from = std::max(0.0, static_cast<double>(level.from) - 0.4);
    const double to = std::min(last, static_cast<double>(level.to) - 0.6);
    out += svg_line(axes.x(from), axes.y(level.seconds), axes.x(to), axes.y(level.seconds),
                    "line predicted");
  }
  for (std::size_t v = 0; v < chart.seconds.size(); ++v) {
    if (!chart.seconds[v]) continue;
    const bool starts = std::any_of(chart.levels.begin(), chart.levels.end(),
                                    [v](const auto& level) { return level.from == v && v > 0; });
    out += "<circle class=\"" + std::string(starts ? "asked" : "measured") + "\" r=\"" +
           (starts ? "6" : "3.5") + "\" cx=\"" + at(axes.x(static_cast<double>(v))) + "\" cy=\"" +
           at(axes.y(*chart.seconds[v])) + "\"><title>" + html_text(chart.versions[v]) + ": " +
           format_seconds(*chart.seconds[v]) + "</title></circle>";
  }
  return out + "</svg></figure>";
}

}  // namespace apmt
