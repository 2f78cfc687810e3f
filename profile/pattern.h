// The pattern of point-to-point messages, if there is one: it determines how an application's
// messages grow with the number of ranks.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace apmt {

struct Pattern {
  /// "none", "ring", "line", "stencil" (neighbours of a grid of 2 or 3 dimensions), "tree",
  /// "all-to-all", "master-worker"; empty when no messages were sent.
  std::string kind;
  std::vector<int> dims;       // of a stencil's grid, the last varies fastest with the rank
  std::vector<bool> periodic;  // per dimension: the borders meet
  bool diagonals = false;      // of a stencil: exchanges with diagonal neighbours too
  bool one_way = false;        // no pair of ranks sends in both directions
  int master = -1;             // of master-worker
  bool operator==(const Pattern&) const = default;
};

/// `edges`: (from, to), sorted, each once, `from` differs from `to`. Fewer than three ranks have no
/// pattern.
Pattern find_pattern(const std::vector<std::pair<int, int>>& edges, int ranks);

/// A phrase for reports; empty for "none" and when nothing was sent.
std::string to_string(const Pattern& pattern);

}  // namespace apmt
