#include "profiler/simulated/window.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace apmt {
namespace {

/// The run must be at least this many times as long as the window; otherwise the whole run is
/// simulated.
constexpr double kShortestRunInWindows = 5;

bool marks_rounds(const MpiRow& row) {
  return row.op_class == "p2p" || row.op_class == "completion" || row.op_class == "collective" ||
         row.op_class == "rooted";
}

}  // namespace

std::string SimulationWindow::text() const {
  return op + ":" + std::to_string(first) + ":" + std::to_string(last);
}

std::optional<SimulationWindow> choose_window(const RunProfile& profile, int rounds) {
  std::map<std::string, double> calls;
  for (const MpiRow& row : profile.mpi)
    if (marks_rounds(row)) calls[row.op] += static_cast<double>(row.calls);
  std::optional<SimulationWindow> best;
  for (const auto& [op, total] : calls) {
    const double per_rank = total / profile.config.procs;
    // If the mean is not a whole number, ranks make different numbers of calls, and their windows
    // would cover different rounds.
    if (per_rank != std::floor(per_rank) || per_rank < kShortestRunInWindows * (rounds + 1))
      continue;
    if (best && best->calls_per_rank <= per_rank) continue;
    // The window does not begin at the first call, because programs read input and set up first. It
    // does not begin late either, because valgrind slows down the part before the window, too.
    const auto first = static_cast<std::uint64_t>(std::clamp(per_rank / 5, 2.0, 10.0));
    best = {op, first, first + static_cast<std::uint64_t>(rounds), per_rank};
  }
  return best;
}

}  // namespace apmt
