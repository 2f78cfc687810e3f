#include "reports/html_pieces.h"
#include "reports/html_svg.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

constexpr double kFirstWidth = 60;  // width of the column for first accesses, with its margin
constexpr double kFirstMargin = 16;
constexpr double kFirstMiddle = kWidth - kRight - 0.5 * (kFirstWidth - kFirstMargin);
constexpr double kCacheRow = 23;  // the names of caches are in two rows above the bars

struct DistanceAxes {
  double low_log2 = 6, high_log2 = 16, most = 0.01;

  double x(double bytes) const {
    return kLeft + (kWidth - kLeft - kRight - kFirstWidth) * (std::log2(bytes) - low_log2) /
                       (high_log2 - low_log2);
  }
  double y(double share) const {
    return kHeight - kBottom - (kHeight - kTop - kBottom - 2 * kCacheRow) * share / most;
  }
};

DistanceAxes axes_of(const DistanceChart& chart) {
  DistanceAxes axes{.most = std::max(0.01, chart.first_share)};
  const auto take_in = [&](double bytes) {
    axes.low_log2 = std::min(axes.low_log2, std::floor(std::log2(bytes)));
    axes.high_log2 = std::max(axes.high_log2, std::ceil(std::log2(bytes)));
  };
  for (const DistanceChart::Bar& bar : chart.bars) {
    axes.most = std::max(axes.most, bar.share);
    take_in(bar.from_bytes);
    take_in(2 * bar.from_bytes);
  }
  for (const auto& [name, bytes] : chart.caches) take_in(bytes);
  return axes;
}

std::string distance_frame(const DistanceAxes& axes) {
  std::string out;
  const double bottom = kHeight - kBottom;
  for (const double part : {0.25, 0.5, 0.75, 1.0}) {
    const double y = axes.y(part * axes.most);
    out += svg_line(kLeft, y, kWidth - kRight, y, "grid");
    out += svg_text(kLeft - 8, y + 4, "tick end", format_share(part * axes.most));
  }
  const double step = axes.high_log2 - axes.low_log2 > 16 ? 5 : 2;
  std::vector<AxisLabel> labels;
  for (double power = axes.low_log2; power <= axes.high_log2; power += step)
    labels.push_back({axes.x(std::exp2(power)), format_bytes(std::exp2(power))});
  labels.push_back({kFirstMiddle, "first"});
  out += svg_axis_labels(labels, bottom);
  out += svg_line(kLeft, bottom, kWidth - kRight, bottom, "axis");
  return out + svg_text((kLeft + kWidth - kRight) / 2, kHeight - 8, "tick mid",
                        "cache that keeps the line until its next access");
}

std::string bar_of(double x, double width, double share, const DistanceAxes& axes,
                   const std::string& words) {
  return "<rect class=\"bin\" x=\"" + at(x) + "\" y=\"" + at(axes.y(share)) + "\" width=\"" +
         at(width) + "\" height=\"" + at(axes.y(0) - axes.y(share)) + "\"><title>" +
         html_text(words) + "</title></rect>";
}

}  // namespace

std::string html_distances(const DistanceChart& chart) {
  const DistanceAxes axes = axes_of(chart);
  std::string bars, caches;
  for (const DistanceChart::Bar& each : chart.bars)
    bars += bar_of(axes.x(each.from_bytes) + 1,
                   axes.x(2 * each.from_bytes) - axes.x(each.from_bytes) - 2, each.share, axes,
                   format_share(each.share) + " of the accesses need more than " +
                       format_bytes(each.from_bytes) + ", at most " +
                       format_bytes(2 * each.from_bytes));
  bars += bar_of(kWidth - kRight - kFirstWidth + kFirstMargin, kFirstWidth - kFirstMargin,
                 chart.first_share, axes,
                 format_share(chart.first_share) + " of the accesses are the first to their line");
  for (std::size_t i = 0; i < chart.caches.size(); ++i) {
    const auto& [name, bytes] = chart.caches[i];
    const double x = axes.x(bytes), top = kTop + (i % 2 == 0 ? 0 : kCacheRow);
    caches += svg_line(x, top, x, kHeight - kBottom, "cache");
    caches += svg_text(x - 5, top + 16, "tick end", name + " " + format_bytes(bytes));
  }
  return "<figure><svg class=\"chart\" role=\"img\" viewBox=\"0 0 " + at(kWidth) + " " +
         at(kHeight) + "\" aria-label=\"" + html_text(chart.description) + "\">" +
         distance_frame(axes) + bars + caches + "</svg><figcaption class=\"hint\">" +
         html_text(chart.description) + "</figcaption></figure>";
}

}  // namespace apmt
