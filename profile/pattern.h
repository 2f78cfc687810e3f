// The pattern of point-to-point messages, if there is one: it determines how an application's
// messages grow with the number of ranks.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace apmt {

struct Pattern {
  /// "ring", "line", "stencil" (neighbours of a grid of 2 or 3 dimensions), "tree", "all-to-all",
  /// "master-worker"; "none" if the messages have none of these patterns; empty if none were sent.
  std::string kind;
  std::vector<int> dims;  // of the grid, one for line and ring; the last varies fastest by rank
  std::vector<bool> periodic;  // per dimension: the first and the last rank are neighbours
  bool diagonals = false;      // of a stencil: exchanges with diagonal neighbours too
  bool one_way = false;        // no pair of ranks sends in both directions
  int master = -1;             // of master-worker
  bool operator==(const Pattern&) const = default;
};

/// `edges`: pairs (from, to) of two different ranks, sorted, without duplicates. If there are
/// edges, but fewer than three ranks, the kind is "none".
Pattern find_pattern(const std::vector<std::pair<int, int>>& edges, int ranks);

/// A phrase for reports; empty if there is no pattern or no messages were sent.
std::string to_string(const Pattern& pattern);

}  // namespace apmt
