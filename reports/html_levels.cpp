#include "reports/html_pieces.h"
#include "reports/html_svg.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

constexpr const char* kProfileStyles[] = {"predicted", "base0"};

/// The horizontal axis shows the level in a kernel's schedule, as a share of the number of levels;
/// the vertical axis shows the operations per level.
LogAxes axes_of(const LevelsChart& chart) {
  LogAxes axes{.low_x = 1, .high_x = 2, .low_s = 1, .high_s = 10};
  for (const LevelsChart::Profile& profile : chart.profiles)
    for (const double operations : profile.operations) {
      if (operations > 0) axes.low_s = std::min(axes.low_s, operations);
      axes.high_s = std::max(axes.high_s, 1.2 * operations);
    }
  return axes;
}

double x_of(double share) { return kLeft + (kWidth - kLeft - kRight) * share; }

std::string levels_frame(const LogAxes& axes) {
  std::string out;
  const double bottom = kHeight - kBottom;
  for (const double tick : time_ticks(axes)) {
    out += svg_line(kLeft, axes.y(tick), kWidth - kRight, axes.y(tick), "grid");
    out += svg_text(kLeft - 8, axes.y(tick) + 4, "tick end", format_count(tick));
  }
  std::vector<AxisLabel> labels;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
    labels.push_back({x_of(share), format_share(share)});
  out += svg_axis_labels(labels, bottom);
  out += svg_line(kLeft, bottom, kWidth - kRight, bottom, "axis");
  return out + svg_text((kLeft + kWidth - kRight) / 2, kHeight - 8, "tick mid",
                        "operations at once, along the schedule");
}

/// An SVG path with a horizontal step for each part of the depth.
std::string path_of(const LevelsChart::Profile& profile, const LogAxes& axes) {
  std::string path;
  const double parts = static_cast<double>(profile.operations.size());
  for (std::size_t i = 0; i < profile.operations.size(); ++i) {
    const std::string y = at(axes.y(std::max(profile.operations[i], axes.low_s)));
    path += (i == 0 ? "M" + at(kLeft) + " " + y : "V" + y) + "H" +
            at(x_of(static_cast<double>(i + 1) / parts));
  }
  return path;
}

}  // namespace

std::string html_levels(const LevelsChart& chart) {
  const LogAxes axes = axes_of(chart);
  std::string lines, legend = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < chart.profiles.size(); ++i) {
    const std::string style = kProfileStyles[i % std::size(kProfileStyles)];
    lines += "<path class=\"line " + style + "\" d=\"" + path_of(chart.profiles[i], axes) + "\"/>";
    legend += legend_line(
        style, chart.profiles[i].name + ", " + plural(chart.profiles[i].depth, "level", "levels"));
  }
  return "<figure><svg class=\"chart\" role=\"img\" viewBox=\"0 0 " + at(kWidth) + " " +
         at(kHeight) + "\" aria-label=\"" + html_text(chart.description) + "\">" +
         levels_frame(axes) + lines + "</svg>" + legend + "</ul></figure>";
}

}  // namespace apmt
