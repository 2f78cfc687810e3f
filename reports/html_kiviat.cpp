#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "reports/html_pieces.h"
#include "reports/html_svg.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

constexpr double kSide = 480, kRadius = 168;  // height of the picture; its width is kWidth
constexpr double kNearlyVertical = 12;        // labels this close to the middle line are centred

struct Point {
  double x, y;
};

/// The first spoke points up; the others follow clockwise.
Point on_spoke(std::size_t spoke, std::size_t spokes, double radius) {
  const double angle =
      2 * std::numbers::pi * static_cast<double>(spoke) / static_cast<double>(spokes);
  return {kWidth / 2 + radius * std::sin(angle), kSide / 2 - radius * std::cos(angle)};
}

std::string style_of(const KiviatChart::Spoke& spoke) {
  return "of" + std::to_string(static_cast<int>(spoke.group));
}

std::string words_of(const KiviatChart::Spoke& spoke) {
  return spoke.name + " " + spoke.shown +
         (spoke.is_beyond ? ", more than any" : ", " + format_share(spoke.share) + " of the most");
}

/// The heights of the labels around the circle. The labels of each side are moved apart, from the
/// middle upwards and downwards, so that they do not overlap even with the large letters on a
/// phone. The labels right above and right below the circle are placed beyond the labels of both
/// sides.
class LabelHeights {
 public:
  explicit LabelHeights(std::size_t spokes) : heights_(spokes) {
    std::vector<std::size_t> middle;
    for (std::size_t i = 0; i < spokes; ++i) {
      const Point at = on_spoke(i, spokes, kRadius + 12);
      heights_[i] = at.y;
      if (std::abs(at.x - kWidth / 2) < kNearlyVertical)
        middle.push_back(i);
      else
        sides_[at.x > kWidth / 2].push_back(i);
    }
    for (std::vector<std::size_t>& side : sides_) spread(&side);
    for (const std::size_t i : middle) move_beyond(i);
  }
  double of(std::size_t spoke) const { return heights_[spoke]; }

 private:
  static constexpr double kLabelGap = 20;

  void spread(std::vector<std::size_t>* side) {
    std::sort(side->begin(), side->end(),
              [&](std::size_t a, std::size_t b) { return heights_[a] < heights_[b]; });
    std::size_t lower = 0;  // the first label below the middle
    while (lower < side->size() && heights_[(*side)[lower]] < kSide / 2) ++lower;
    for (std::size_t k = lower; k-- > 0;)
      if (k + 1 < side->size()) {
        double& height = heights_[(*side)[k]];
        height = std::min(height, heights_[(*side)[k + 1]] - kLabelGap);
      }
    for (std::size_t k = std::max<std::size_t>(lower, 1); k < side->size(); ++k) {
      double& height = heights_[(*side)[k]];
      height = std::max(height, heights_[(*side)[k - 1]] + kLabelGap);
    }
  }
  void move_beyond(std::size_t i) {
    const bool above = heights_[i] < kSide / 2;
    for (const std::vector<std::size_t>& side : sides_) {
      if (side.empty()) continue;
      const double next = heights_[above ? side.front() : side.back()];
      heights_[i] =
          above ? std::min(heights_[i], next - kLabelGap) : std::max(heights_[i], next + kLabelGap);
    }
  }

  std::vector<double> heights_;
  std::array<std::vector<std::size_t>, 2> sides_;  // left and right, from top to bottom
};

const char* anchor(double x) {
  if (std::abs(x - kWidth / 2) < kNearlyVertical) return "tick mid";
  return x < kWidth / 2 ? "tick end" : "tick";
}

std::string legend() {
  static constexpr const char* kGroups[] = {"compute", "parallelism", "memory", "control"};
  std::string out = "<ul class=\"legend\">";
  for (std::size_t group = 0; group < std::size(kGroups); ++group)
    out += legend_item(
        "<circle class=\"dot of" + std::to_string(group) + "\" cx=\"15\" cy=\"7\" r=\"5\"/>",
        kGroups[group]);
  return out + "</ul>";
}

}  // namespace

std::string html_kiviat(const KiviatChart& chart) {
  const std::size_t n = chart.spokes.size();
  std::string label = chart.description, grid, shape, dots, names;
  for (const double ring : {0.25, 0.5, 0.75, 1.0})
    grid += "<circle class=\"line grid\" cx=\"" + at(kWidth / 2) + "\" cy=\"" + at(kSide / 2) +
            "\" r=\"" + at(ring * kRadius) + "\"/>";
  const LabelHeights heights(n);
  for (std::size_t i = 0; i < n; ++i) {
    const KiviatChart::Spoke& spoke = chart.spokes[i];
    const Point rim = on_spoke(i, n, kRadius), value = on_spoke(i, n, kRadius * spoke.share);
    const Point name = on_spoke(i, n, kRadius + 12);
    grid += svg_line(kWidth / 2, kSide / 2, rim.x, rim.y, ("spoke " + style_of(spoke)).c_str());
    shape += (i == 0 ? "M" : "L") + at(value.x) + " " + at(value.y);
    dots += "<circle class=\"dot " + style_of(spoke) + "\" cx=\"" + at(value.x) + "\" cy=\"" +
            at(value.y) + "\" r=\"4.5\"><title>" + html_text(words_of(spoke)) + "</title></circle>";
    names += svg_text(name.x, heights.of(i) + 4, anchor(name.x),
                      spoke.name + (spoke.is_beyond ? " +" : ""));
    label += " " + words_of(spoke) + ".";
  }
  return "<figure><svg class=\"chart kiviat\" role=\"img\" viewBox=\"0 0 " + at(kWidth) + " " +
         at(kSide) + "\" aria-label=\"" + html_text(label) + "\">" + grid +
         "<path class=\"shape\" d=\"" + shape + "Z\"/>" + dots + names + "</svg>" + legend() +
         "<figcaption class=\"hint\">" + html_text(chart.description) +
         " The closer to the centre, the less a device has to provide; counts are on a "
         "logarithmic scale, +: more than in any of them.</figcaption></figure>";
}

}  // namespace apmt
