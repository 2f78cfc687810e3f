#include <algorithm>
#include <cmath>
#include <map>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

constexpr int kMostCells = 128;  // along a side; more are too small to see and make the page large
constexpr int kColourSteps = 8;
constexpr double kStep = 4;  // ratio of the bytes of a level to the bytes of the next lower level

}  // namespace

std::optional<MatrixChart> matrix_chart(const RunProfile& profile) {
  const int ranks = profile.config.procs;
  if (ranks < 2 || profile.peers.empty()) return std::nullopt;
  MatrixChart chart;
  chart.ranks = ranks;
  chart.ranks_per_cell = (ranks + kMostCells - 1) / kMostCells;
  std::map<std::pair<int, int>, double> bytes;
  for (const PeerRow& row : profile.peers) {
    const double each = static_cast<double>(row.bytes) / (row.to_last - row.to + 1);
    for (int to = row.to; to <= row.to_last; ++to)
      bytes[{row.from / chart.ranks_per_cell, to / chart.ranks_per_cell}] += each;
  }
  for (const auto& [cell, sum] : bytes) chart.most_bytes = std::max(chart.most_bytes, sum);
  if (chart.most_bytes <= 0) return std::nullopt;
  for (const auto& [cell, sum] : bytes) {
    if (sum <= 0) continue;
    const double below = std::floor(std::log(chart.most_bytes / sum) / std::log(kStep));
    const int level = kColourSteps - 1 - std::min(kColourSteps - 1, static_cast<int>(below));
    chart.cells.push_back({cell.first, cell.second, level});
  }
  chart.description =
      "Bytes sent point-to-point by each rank (downwards) to each rank (to the right), " +
      processes(ranks) + "; the strongest cells have up to " + format_bytes(chart.most_bytes) +
      ", each weaker shade a quarter of it.";
  if (chart.ranks_per_cell > 1)
    chart.description += " A cell stands for " + std::to_string(chart.ranks_per_cell) + " x " +
                         std::to_string(chart.ranks_per_cell) + " ranks.";
  return chart;
}

}  // namespace apmt
