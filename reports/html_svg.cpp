#include "reports/html_svg.h"

#include "reports/html_pieces.h"
#include "reports/numbers.h"
#include "reports/words.h"

namespace apmt {

std::string at(double x) { return format_exact(std::round(x * 10) / 10); }

std::vector<double> time_ticks(const LogAxes& axes) {
  static const std::vector<std::vector<double>> kSteps{
      {1},
      {1, 3},
      {1, 2, 5},
      {1, 1.5, 2, 3, 4, 5, 7},
      {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}};
  std::vector<double> ticks;
  for (const std::vector<double>& steps : kSteps) {
    ticks.clear();
    const double first = std::floor(std::log10(axes.low_s));
    for (double decade = first; decade <= std::log10(axes.high_s); ++decade) {
      for (const double step : steps) {
        const double tick = step * std::pow(10.0, decade);
        if (tick >= axes.low_s && tick <= axes.high_s) ticks.push_back(tick);
      }
    }
    if (ticks.size() >= 4) break;
  }
  return ticks;
}

std::string svg_axis_labels(const std::vector<AxisLabel>& labels, double bottom) {
  constexpr double kLetterWidth = 12.2;  // of a digit; other letters are narrower on average
  constexpr double kGap = 8;
  std::string out;
  double left = kWidth + kGap;  // of the label to the right
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    const double half = 0.5 * kLetterWidth * static_cast<double>(display_width(label->text));
    const double middle = std::max(std::min(label->x, kWidth - half), half);
    out += svg_line(label->x, bottom, label->x, bottom + 5, "axis");
    if (middle + half + kGap > left) continue;
    out += svg_text(middle, bottom + 22, "tick mid", label->text);
    left = middle - half;
  }
  return out;
}

std::string svg_line(double x1, double y1, double x2, double y2, const char* style) {
  return "<line class=\"" + std::string(style) + "\" x1=\"" + at(x1) + "\" y1=\"" + at(y1) +
         "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\"/>";
}

std::string svg_text(double x, double y, const char* style, const std::string& text) {
  return "<text class=\"" + std::string(style) + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\">" +
         html_text(text) + "</text>";
}

std::string legend_item(const std::string& symbol, const std::string& name) {
  return "<li><svg class=\"key\" viewBox=\"0 0 30 14\" aria-hidden=\"true\">" + symbol + "</svg>" +
         html_text(name) + "</li>";
}

std::string legend_line(const std::string& style, const std::string& name) {
  return legend_item("<path class=\"line " + style + "\" d=\"M1 7h28\"/>", name);
}

}  // namespace apmt
