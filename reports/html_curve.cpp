// HTML charts of time against a size or a process count: measured points and fitted lines.
#include <algorithm>

#include "reports/html_pieces.h"
#include "reports/html_svg.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

bool can_be_drawn(const std::pair<double, double>& point) {
  return point.first > 0 && point.second > 0;
}

LogAxes axes_of(const CurveChart& chart) {
  LogAxes axes;
  for (const CurveChart::Curve& curve : chart.curves)
    for (const auto& point : curve.points)
      if (can_be_drawn(point)) axes.take_in(point.first, point.second);
  axes.low_x /= 1.12;
  axes.high_x *= 1.12;
  axes.low_s /= 1.25;
  axes.high_s *= 1.25;
  return axes;
}

/// The label of a tick on the horizontal axis. These ticks are powers of two, so bytes need no
/// decimals.
std::string tick_text(double value, Quantity quantity) {
  if (quantity != Quantity::kBytes || value < 1024) return format_cell({.value = value}, quantity);
  const bool is_large = value >= 1048576;
  return format_number(value / (is_large ? 1048576 : 1024)) + (is_large ? " MiB" : " KiB");
}

/// The frame of the drawing. The ticks of its horizontal axis are powers of two.
std::string frame(const CurveChart& chart, const LogAxes& axes) {
  std::string out;
  const double bottom = kHeight - kBottom;
  for (const double tick : time_ticks(axes)) {
    out += svg_line(kLeft, axes.y(tick), kWidth - kRight, axes.y(tick), "grid");
    out += svg_text(kLeft - 8, axes.y(tick) + 4, "tick end", format_seconds(tick, 2));
  }
  std::vector<AxisLabel> labels;
  for (double value = std::exp2(std::ceil(std::log2(axes.low_x))); value <= axes.high_x; value *= 2)
    labels.push_back({axes.x(value), tick_text(value, chart.x)});
  out += svg_axis_labels(labels, bottom);
  out += svg_line(kLeft, bottom, kWidth - kRight, bottom, "axis");
  return out + svg_text((kLeft + kWidth - kRight) / 2, kHeight - 8, "tick mid", chart.x_title);
}

std::string points_of(const CurveChart& chart, const CurveChart::Curve& curve,
                      const LogAxes& axes) {
  std::string out;
  for (const auto& point : curve.points) {
    if (!can_be_drawn(point)) continue;
    out += "<circle class=\"measured\" r=\"3\" cx=\"" + at(axes.x(point.first)) + "\" cy=\"" +
           at(axes.y(point.second)) + "\"><title>" + html_text(curve.name) + ", " +
           format_cell({.value = point.first}, chart.x) + ": " + format_seconds(point.second) +
           "</title></circle>";
  }
  return out;
}

std::string line_of(const CurveChart::Curve& curve, const LogAxes& axes, const std::string& style) {
  std::string path;
  for (const auto& point : curve.points)
    if (can_be_drawn(point))
      path += (path.empty() ? "M" : "L") + at(axes.x(point.first)) + " " + at(axes.y(point.second));
  return path.empty() ? path : "<path class=\"line " + style + "\" d=\"" + path + "\"/>";
}

}  // namespace

std::string html_curve_chart(const CurveChart& chart) {
  const LogAxes axes = axes_of(chart);
  if (!(axes.high_x > axes.low_x)) return {};
  std::string out = "<figure><svg class=\"chart\" role=\"img\" viewBox=\"0 0 " + at(kWidth) + " " +
                    at(kHeight) + "\" aria-label=\"" + html_text(chart.description) + "\">" +
                    frame(chart, axes);
  static constexpr const char* kStyles[] = {"base0", "base1", "base2", "predicted"};
  std::string legend;
  std::size_t lines = 0;
  for (const CurveChart::Curve& curve : chart.curves) {
    const char* style = kStyles[lines % std::size(kStyles)];
    if (curve.has_line) {
      out += line_of(curve, axes, style);
      legend += legend_line(style, curve.name);
      ++lines;
    } else {
      legend += legend_item("<circle class=\"measured\" r=\"3\" cx=\"15\" cy=\"7\"/>", curve.name);
    }
    if (curve.has_points) out += points_of(chart, curve, axes);
  }
  return out + "</svg><ul class=\"legend\">" + legend + "</ul></figure>";
}

}  // namespace apmt
