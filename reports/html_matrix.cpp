#include <array>

#include "reports/html_pieces.h"
#include "reports/numbers.h"

namespace apmt {

// All cells of one shade are drawn by a single SVG path. This keeps the page small even with a
// thousand ranks. The page's script zooms by changing the viewBox.
std::string html_matrix_chart(const MatrixChart& chart) {
  const int side = (chart.ranks + chart.ranks_per_cell - 1) / chart.ranks_per_cell;
  constexpr std::size_t kShades = 8;
  std::array<std::string, kShades> paths;
  for (const MatrixChart::Cell& cell : chart.cells)
    paths.at(static_cast<std::size_t>(cell.level)) +=
        "M" + std::to_string(cell.to) + " " + std::to_string(cell.from) + "h1v1h-1z";
  const std::string size = std::to_string(side);
  std::string out = "<figure class=\"matrix\"><svg viewBox=\"0 0 " + size + " " + size +
                    "\" data-side=\"" + size + "\" role=\"img\" aria-label=\"" +
                    html_text(chart.description) + "\"><rect class=\"ground\" width=\"" + size +
                    "\" height=\"" + size + "\"/>";
  for (std::size_t level = 0; level < kShades; ++level)
    if (!paths[level].empty())
      out += "<path class=\"shade" + std::to_string(level) + "\" d=\"" + paths[level] + "\"/>";
  return out + "</svg><figcaption class=\"hint\">" + html_text(chart.description) +
         "</figcaption></figure>";
}

}  // namespace apmt
