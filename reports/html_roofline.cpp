#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "reports/html_pieces.h"
#include "reports/html_svg.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

constexpr std::size_t kNumbered = 9;  // this many kernels get a number and a line below the chart

/// Places the numbers of kernels beside their points, so that no number covers another.
class Numbers {
 public:
  /// The number right of, left of, above or below a point; empty if all these places are taken.
  std::string place(double x, double y, double radius, const std::string& number) {
    const double across = radius + 3 + 0.5 * kBoxWidth;
    const double along = radius + 3 + 0.5 * kBoxHeight;
    for (const auto& [dx, dy] :
         {std::pair(across, 0.0), {-across, 0.0}, {0.0, -along}, {0.0, along}}) {
      if (!is_free(x + dx, y + dy)) continue;
      taken_.emplace_back(x + dx, y + dy);
      return svg_text(x + dx, y + dy + 5, "number mid", number);
    }
    return {};
  }

 private:
  static constexpr double kBoxWidth = 14, kBoxHeight = 24;  // with the large letters on a phone
  bool is_free(double x, double y) const {
    if (x < kLeft || x > kWidth - kRight || y < kTop || y > kHeight - kBottom) return false;
    return std::none_of(taken_.begin(), taken_.end(), [&](const auto& other) {
      return std::abs(other.first - x) < kBoxWidth && std::abs(other.second - y) < kBoxHeight;
    });
  }
  std::vector<std::pair<double, double>> taken_;
};

double radius_of(const RooflineChart::Kernel& kernel) {
  return 4 + 9 * std::sqrt(std::max(0.0, kernel.share));
}

/// LogAxes names the members for the vertical axis after seconds, but here this axis shows rates.
/// LogAxes uses only ratios, so the unit does not matter.
LogAxes axes_of(const RooflineChart& chart) {
  LogAxes axes;
  for (const RooflineChart::Kernel& kernel : chart.kernels)
    axes.take_in(kernel.work_per_access, kernel.work_per_s);
  axes.low_x /= 3;
  axes.high_x *= 3;
  for (const RooflineChart::Roof& roof : chart.roofs)
    axes.high_s = std::max(axes.high_s, roof.work_per_s);
  axes.low_s /= 3;
  // Room for the name of the axis above the roofs.
  axes.high_s *= std::max(1.6, std::pow(axes.high_s / axes.low_s, 0.1));
  return axes;
}

std::string frame(const RooflineChart& chart, const LogAxes& axes) {
  std::string out;
  const double bottom = kHeight - kBottom;
  for (const double tick : time_ticks(axes)) {
    const bool crosses_name = axes.y(tick) < kTop + 20;
    if (!crosses_name) out += svg_line(kLeft, axes.y(tick), kWidth - kRight, axes.y(tick), "grid");
    out += svg_text(kLeft - 8, axes.y(tick) + 4, "tick end", format_count(tick) + "/s");
  }
  std::vector<AxisLabel> labels;
  for (const double tick : time_ticks({0, 0, axes.low_x, axes.high_x}))
    labels.push_back({axes.x(tick), format_count(tick)});
  out += svg_axis_labels(labels, bottom);
  out += svg_line(kLeft, bottom, kWidth - kRight, bottom, "axis");
  out += svg_text(kLeft + 6, kTop + 12, "tick", chart.work + " per second");
  return out + svg_text((kLeft + kWidth - kRight) / 2, kHeight - 8, "tick mid",
                        chart.work + " per " + chart.access);
}

/// The SVG path of a roof as far as it is inside the frame; empty if it is outside.
std::string roof_path(const RooflineChart::Roof& roof, const LogAxes& axes) {
  if (roof.work_per_s > 0)
    return "M" + at(kLeft) + " " + at(axes.y(roof.work_per_s)) + "H" + at(kWidth - kRight);
  const double first = std::max(axes.low_x, axes.low_s / roof.accesses_per_s);
  const double last = std::min(axes.high_x, axes.high_s / roof.accesses_per_s);
  if (first >= last) return {};
  return "M" + at(axes.x(first)) + " " + at(axes.y(first * roof.accesses_per_s)) + "L" +
         at(axes.x(last)) + " " + at(axes.y(last * roof.accesses_per_s));
}

std::string words_of(const RooflineChart& chart, const RooflineChart::Kernel& kernel) {
  return kernel.name + ": " + format_count(kernel.work_per_s) + " " + chart.work + " per second, " +
         format_significant(kernel.work_per_access) + " per " + chart.short_access + ", " +
         format_share(kernel.share) + " of the time";
}

}  // namespace

std::string html_roofline(const RooflineChart& chart) {
  const LogAxes axes = axes_of(chart);
  std::string label = chart.description;
  for (std::size_t k = 0; k < std::min(kNumbered, chart.kernels.size()); ++k)
    label += " " + words_of(chart, chart.kernels[k]) + ".";
  std::string out = "<figure><svg class=\"chart\" role=\"img\" viewBox=\"0 0 " + at(kWidth) + " " +
                    at(kHeight) + "\" aria-label=\"" + html_text(label) + "\">" +
                    frame(chart, axes);
  static constexpr const char* kStyles[] = {"ideal", "base0", "base1", "base2"};
  std::string legend = "<ul class=\"legend\">";
  std::string missing;
  for (std::size_t r = 0; r < chart.roofs.size(); ++r) {
    const std::string style = kStyles[r % std::size(kStyles)];
    const std::string path = roof_path(chart.roofs[r], axes);
    if (path.empty()) {
      missing += (missing.empty() ? "" : ", ") + chart.roofs[r].name;
      continue;
    }
    out += "<path class=\"line " + style + "\" d=\"" + path + "\"/>";
    legend += legend_line(style, chart.roofs[r].name);
  }
  legend += "</ul>";
  if (!missing.empty())
    legend += "<p class=\"hint\">Outside the picture: " + html_text(missing) + ".</p>";
  std::string names = "<ol class=\"numbered\">";
  for (std::size_t k = chart.kernels.size(); k-- > 0;) {  // the largest on top of the others
    const RooflineChart::Kernel& kernel = chart.kernels[k];
    const double x = axes.x(kernel.work_per_access);
    const double y = axes.y(kernel.work_per_s);
    out += "<circle class=\"spot\" r=\"" + at(radius_of(kernel)) + "\" cx=\"" + at(x) + "\" cy=\"" +
           at(y) + "\"><title>" + html_text(words_of(chart, kernel)) + "</title></circle>";
  }
  Numbers numbers;
  for (std::size_t k = 0; k < std::min(kNumbered, chart.kernels.size()); ++k) {
    const RooflineChart::Kernel& kernel = chart.kernels[k];
    out += numbers.place(axes.x(kernel.work_per_access), axes.y(kernel.work_per_s),
                         radius_of(kernel), std::to_string(k + 1));
  }
  for (std::size_t k = 0; k < std::min(kNumbered, chart.kernels.size()); ++k)
    names += "<li>" + html_text(words_of(chart, chart.kernels[k])) + "</li>";
  return out + "</svg>" + legend + names + "</ol></figure>";
}

}  // namespace apmt
