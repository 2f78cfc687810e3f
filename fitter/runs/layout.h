// Where the processes of a run were placed, and how fast its cores ran. Runs with different layouts
// have different times at the same process count.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "profile/run_profile.h"

namespace apmt {

/// Layouts are ordered by placement, then by frequency.
struct Layout {
  int nodes = 1;
  int ranks_per_node = 0;  // of the fullest node; 0: not known
  int threads_per_rank = 1;
  std::optional<double> frequency_hz = {};  // as measured; absent: not known
  auto operator<=>(const Layout&) const = default;
};

Layout layout_of(const RunConfig& config);

/// Whether the placement is the same and the frequencies differ by at most 5 %, as measurements of
/// one frequency may. An unknown frequency counts as equal to every other.
bool is_like(const Layout& a, const Layout& b);

/// For readers: "2 nodes, 8 processes on the fullest, 4 threads each, 2.4 GHz", where "the fullest"
/// is the node with the most processes. Unknown or trivial figures are left out.
std::string words(const Layout& layout);

}  // namespace apmt
