#include <algorithm>
#include <cmath>
#include <set>

#include "reports/html_pieces.h"
#include "reports/html_svg.h"
#include "reports/numbers.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

template <typename Visit>
void for_each_point(const TimeChart& chart, Visit visit) {
  for (const auto* list : {&chart.elapsed, &chart.known, &chart.ideal, &chart.predicted}) {
    for (const PlotPoint& point : *list) visit(point);
  }
  for (const TimeChart::Line& line : chart.baselines) {
    for (const PlotPoint& point : line.points) visit(point);
  }
}

/// Axes for the measured and predicted times, extended somewhat for reference lines. What lies
/// beyond the frame is cut off.
LogAxes axes_of(const TimeChart& chart) {
  LogAxes axes;
  for_each_point(chart, [&](const PlotPoint& point) {
    axes.low_x = std::min(axes.low_x, point.procs);
    axes.high_x = std::max(axes.high_x, point.procs);
  });
  double least_value = 1e300;
  for (const auto* list : {&chart.elapsed, &chart.known, &chart.predicted}) {
    for (const PlotPoint& point : *list) {
      if (point.value <= 0) continue;
      least_value = std::min(least_value, point.value);
      axes.high_s = std::max({axes.high_s, point.value, point.high});
      if (point.low > 0) axes.low_s = std::min(axes.low_s, point.low);
    }
  }
  axes.low_s = std::max(std::min(axes.low_s, least_value), least_value / 30);
  const double limit_s = axes.high_s * 1.5;
  for (const TimeChart::Line& line : chart.baselines) {
    for (const PlotPoint& point : line.points) {
      if (point.value > 0)
        axes.low_s = std::min(axes.low_s, std::max(point.value, least_value / 3));
      axes.high_s = std::max(axes.high_s, std::min(point.value, limit_s));
    }
  }
  if (!(axes.high_s > 0)) axes.low_s = axes.high_s = 1;
  axes.low_s /= 1.25;
  axes.high_s *= 1.25;
  axes.low_x /= 1.12;
  axes.high_x *= 1.12;
  return axes;
}

std::string polyline(const std::vector<PlotPoint>& points, const LogAxes& axes,
                     const std::string& style) {
  std::string path;
  for (const PlotPoint& point : points) {
    if (point.value <= 0) continue;
    path += (path.empty() ? "M" : "L") + at(axes.x(point.procs)) + " " + at(axes.y(point.value));
  }
  if (path.empty()) return {};
  return "<path class=\"line " + style + "\" d=\"" + path + "\"/>";
}

std::string band(const std::vector<PlotPoint>& points, const LogAxes& axes) {
  std::string upper;
  std::string lower;
  for (const PlotPoint& point : points) {
    if (point.high <= 0) continue;
    const std::string x = at(axes.x(point.procs));
    upper += (upper.empty() ? "M" : "L") + x + " " + at(axes.y(point.high));
    lower = "L" + x + " " + at(axes.y(std::max(point.low, axes.low_s))) + lower;
  }
  return upper.empty() ? upper : "<path class=\"band\" d=\"" + upper + lower + "Z\"/>";
}

std::string marks(const std::vector<PlotPoint>& points, const LogAxes& axes, const char* style,
                  const std::string& what) {
  std::string out;
  for (const PlotPoint& point : points) {
    if (point.value <= 0) continue;
    out += "<circle class=\"" + std::string(style) + "\" r=\"5\" cx=\"" + at(axes.x(point.procs)) +
           "\" cy=\"" + at(axes.y(point.value)) + "\"><title>" + html_text(what) + " at " +
           format_number(point.procs) + ": " + format_seconds(point.value) + "</title></circle>";
  }
  return out;
}

/// Diamonds with intervals at the process counts that the user asked for.
std::string asked_marks(const TimeChart& chart, const LogAxes& axes) {
  std::string out;
  for (const PlotPoint& point : chart.predicted) {
    const bool asked = std::any_of(chart.asked.begin(), chart.asked.end(),
                                   [&](int procs) { return procs == point.procs; });
    if (!asked || point.value <= 0) continue;
    const double x = axes.x(point.procs);
    const double y = axes.y(point.value);
    out += svg_line(x, axes.y(std::max(point.low, axes.low_s)), x, axes.y(point.high), "whisker");
    out += "<path class=\"asked\" d=\"M" + at(x) + " " + at(y - 7) + "l7 7l-7 7l-7 -7Z\"><title>" +
           "Predicted at " + format_number(point.procs) + ": " + format_seconds(point.value) +
           " (" + format_seconds_range(point.low, point.high) + ")</title></path>";
  }
  return out;
}

std::string frame(const TimeChart& chart, const LogAxes& axes) {
  std::string out;
  const double bottom = kHeight - kBottom;
  if (chart.max_profiled > 0 && axes.high_x > chart.max_profiled * 1.13) {
    const double x = axes.x(chart.max_profiled);
    out += "<rect class=\"beyond\" x=\"" + at(x) + "\" y=\"" + at(kTop) + "\" width=\"" +
           at(kWidth - kRight - x) + "\" height=\"" + at(bottom - kTop) + "\"/>";
    out += svg_text(kWidth - kRight - 8, kTop + 18, "note end", "extrapolated");
  }
  for (const double tick : time_ticks(axes)) {
    out += svg_line(kLeft, axes.y(tick), kWidth - kRight, axes.y(tick), "grid");
    out += svg_text(kLeft - 8, axes.y(tick) + 4, "tick end", format_seconds(tick, 2));
  }
  std::set<double> counts;
  for (const PlotPoint& point : chart.elapsed) counts.insert(point.procs);
  for (const int procs : chart.asked) counts.insert(procs);
  std::vector<AxisLabel> labels;
  for (const double procs : counts) labels.push_back({axes.x(procs), format_number(procs)});
  out += svg_axis_labels(labels, bottom);
  out += svg_line(kLeft, bottom, kWidth - kRight, bottom, "axis");
  out += svg_text((kLeft + kWidth - kRight) / 2, kHeight - 8, "tick mid", "processes");
  return out;
}

std::string time_legend(const TimeChart& chart) {
  std::string out = "<ul class=\"legend\">";
  if (!chart.elapsed.empty()) {
    out += legend_item("<circle class=\"measured\" r=\"5\" cx=\"15\" cy=\"7\"/>",
                       chart.known.empty() ? "measured" : "measured, the whole run");
  }
  if (!chart.known.empty()) {
    out += legend_item("<circle class=\"known\" r=\"5\" cx=\"15\" cy=\"7\"/>",
                       "measured, the parts that are predicted");
  }
  if (!chart.predicted.empty()) {
    out += legend_item(
        "<path class=\"line predicted\" d=\"M1 7h28\"/><path class=\"asked\" "
        "d=\"M15 1l6 6l-6 6l-6 -6Z\"/>",
        "predicted");
    out += legend_item("<path class=\"band\" d=\"M1 1h28v12h-28Z\"/>",
                       std::to_string(chart.confidence_percent) + " % interval");
  }
  for (std::size_t i = 0; i < chart.baselines.size(); ++i) {
    out += legend_line("base" + std::to_string(i % 3), chart.baselines[i].name + " (reference)");
  }
  if (!chart.ideal.empty()) out += legend_line("ideal", "perfect scaling");
  return out + "</ul>";
}

}  // namespace

std::string html_time_chart(const TimeChart& chart) {
  if (chart.predicted.empty() && chart.elapsed.empty()) return {};
  const LogAxes axes = axes_of(chart);
  std::string out = "<figure><svg class=\"chart\" role=\"img\" viewBox=\"0 0 " + at(kWidth) + " " +
                    at(kHeight) + "\" aria-label=\"" + html_text(chart.description) + "\">";
  out += frame(chart, axes);
  out += "<clipPath id=\"plot\"><rect x=\"" + at(kLeft) + "\" y=\"" + at(kTop) + "\" width=\"" +
         at(kWidth - kLeft - kRight) + "\" height=\"" + at(kHeight - kTop - kBottom) +
         "\"/></clipPath><g clip-path=\"url(#plot)\">";
  out += band(chart.predicted, axes);
  out += polyline(chart.ideal, axes, "ideal");
  for (std::size_t i = 0; i < chart.baselines.size(); ++i) {
    out += polyline(chart.baselines[i].points, axes, "base" + std::to_string(i % 3));
  }
  out += polyline(chart.predicted, axes, "predicted");
  out += "</g>";
  out += asked_marks(chart, axes);
  out += marks(chart.known, axes, "known", "Measured, the parts that are predicted,");
  out += marks(chart.elapsed, axes, "measured", "Measured");
  out += "</svg>" + time_legend(chart);
  if (!chart.note.empty()) out += "<p class=\"hint\">" + html_text(chart.note) + "</p>";
  return out + "</figure>";
}

std::string html_parts_chart(const PartsChart& chart) {
  std::string out = "<figure class=\"bars\"><ul class=\"legend\">";
  for (std::size_t i = 0; i < chart.parts.size(); ++i) {
    out += legend_item("<path class=\"part" + std::to_string(i) + "\" d=\"M4 1h22v12h-22Z\"/>",
                       chart.parts[i]);
  }
  out += "</ul><p class=\"hint\">" + html_text(chart.description) + "</p><ol class=\"stack\">";
  for (const PartsChart::Bar& bar : chart.bars) {
    if (bar.total_s <= 0) continue;
    std::string shapes;
    std::string words;
    double x = 0;
    for (std::size_t i = 0; i < bar.seconds.size(); ++i) {
      if (!bar.seconds[i] || *bar.seconds[i] <= 0) continue;
      const double width = 1000 * *bar.seconds[i] / bar.total_s;
      const std::string says = chart.parts[i] + " " + format_seconds(*bar.seconds[i]) + ", " +
                               format_share(*bar.seconds[i] / bar.total_s);
      shapes += "<rect class=\"part" + std::to_string(i) + "\" x=\"" + at(x) + "\" width=\"" +
                at(width) + "\" height=\"24\" vector-effect=\"non-scaling-stroke\"><title>" +
                html_text(says) + "</title></rect>";
      words += (words.empty() ? "" : "; ") + says;
      x += width;
    }
    const std::string kind = std::string(bar.measured ? "measured" : "predicted") +
                             (bar.incomplete ? ", without communication" : "");
    out += "<li><span class=\"who\">" + std::to_string(bar.procs) + " <small>" + html_text(kind) +
           "</small></span><svg viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\" "
           "class=\"" +
           (bar.measured ? "seen" : "foreseen") + "\" aria-label=\"" + processes(bar.procs) + ", " +
           html_text(kind + ": " + words) + "\">" + shapes + "</svg><span class=\"sum\">" +
           format_seconds(bar.whole_s) + "</span></li>";
  }
  return out + "</ol></figure>";
}

PlotRange plot_range(const ReportTable& table) {
  PlotRange range{1e300, 0};
  for (const ReportRow& row : table.rows) {
    if (!row.sparkline) continue;
    for (const auto* list : {&row.sparkline->measured, &row.sparkline->predicted}) {
      for (const PlotPoint& point : *list) {
        range.first = std::min(range.first, point.procs);
        range.last = std::max(range.last, point.procs);
      }
    }
  }
  return range;
}

std::string html_sparkline(const Sparkline& sparkline, const PlotRange& range) {
  constexpr double kSparkWidth = 110;
  constexpr double kSparkHeight = 26;
  double low = 1e300;
  double high = 0;
  for (const auto* list : {&sparkline.measured, &sparkline.predicted}) {
    for (const PlotPoint& point : *list) {
      if (point.value <= 0) continue;
      low = std::min(low, point.value);
      high = std::max(high, point.value);
    }
  }
  if (high <= 0 || range.last <= range.first) return {};
  // The vertical axis covers at least a factor of two, so that nearly constant times look flat.
  if (high < 2 * low) {
    const double middle = std::sqrt(low * high);
    low = middle / std::sqrt(2.0);
    high = middle * std::sqrt(2.0);
  }
  const auto place = [&](const PlotPoint& point) {
    const double x = std::log(point.procs / range.first) / std::log(range.last / range.first);
    const double y = std::log(point.value / low) / std::log(high / low);
    return at(3 + (kSparkWidth - 6) * x) + " " + at(kSparkHeight - 3 - (kSparkHeight - 6) * y);
  };
  std::string dots;
  for (const PlotPoint& point : sparkline.measured) {
    if (point.value > 0) dots += "M" + place(point) + "h0";
  }
  std::string line;
  for (const PlotPoint& point : sparkline.predicted) {
    if (point.value > 0) line += (line.empty() ? "M" : "L") + place(point);
  }
  const PlotPoint& first =
      sparkline.measured.empty() ? sparkline.predicted.front() : sparkline.measured.front();
  const PlotPoint& last =
      sparkline.predicted.empty() ? sparkline.measured.back() : sparkline.predicted.back();
  const auto words = [](const PlotPoint& point) {
    return format_seconds(point.value) + " at " + format_number(point.procs);
  };
  return "<svg class=\"spark\" viewBox=\"0 0 110 26\" role=\"img\" aria-label=\"" + words(first) +
         ", " + words(last) + "\">" +
         (line.empty() ? line : "<path class=\"line predicted\" d=\"" + line + "\"/>") +
         (dots.empty() ? dots : "<path class=\"dots\" d=\"" + dots + "\"/>") + "</svg>";
}

}  // namespace apmt
