// Elements of SVG drawings with two logarithmic axes; the vertical one usually shows time.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace apmt {

// Size and margins of a drawing, in pixels.
constexpr double kWidth = 680;
constexpr double kHeight = 380;
constexpr double kLeft = 90;
constexpr double kRight = 16;
constexpr double kTop = 14;
constexpr double kBottom = 58;

/// A coordinate rounded to a tenth of a pixel, as text.
std::string at(double x);

/// The ranges of both axes, and the conversion of values to pixels.
struct LogAxes {
  double low_x = 1e300, high_x = 0, low_s = 1e300, high_s = 0;  // no point yet
  void take_in(double at_x, double at_s) {
    low_x = std::min(low_x, at_x);
    high_x = std::max(high_x, at_x);
    low_s = std::min(low_s, at_s);
    high_s = std::max(high_s, at_s);
  }
  double x(double value) const {
    return kLeft + (kWidth - kLeft - kRight) * std::log(value / low_x) / std::log(high_x / low_x);
  }
  double y(double seconds) const {
    return kHeight - kBottom -
           (kHeight - kTop - kBottom) * std::log(seconds / low_s) / std::log(high_s / low_s);
  }
};

/// The ticks of the vertical axis: round values, four or more unless the range is very narrow.
std::vector<double> time_ticks(const LogAxes& axes);

std::string svg_line(double x1, double y1, double x2, double y2, const char* style);
std::string svg_text(double x, double y, const char* style, const std::string& text);

/// A mark on the horizontal axis, and the words below it.
struct AxisLabel {
  double x = 0;
  std::string text;
};

/// Marks and labels on a horizontal axis at height `bottom`; `labels` is ordered from left to
/// right. The last label is always drawn. Labels that would leave the drawing are moved into it;
/// those that would touch the next one are left out. The widths of labels are calculated for the
/// largest font size, which is used on phones.
std::string svg_axis_labels(const std::vector<AxisLabel>& labels, double bottom);

/// An entry of a list with the class "legend".
std::string legend_item(const std::string& symbol, const std::string& name);
std::string legend_line(const std::string& style, const std::string& name);

}  // namespace apmt
