#include "profile/pattern.h"

#include <algorithm>

namespace apmt {
namespace {

/// For each rank: the ranks with which it communicates in either direction, sorted.
using Graph = std::vector<std::vector<int>>;

Graph graph_of(const std::vector<std::pair<int, int>>& edges, int ranks) {
  Graph graph(static_cast<std::size_t>(ranks));
  for (const auto& [from, to] : edges) {
    graph[static_cast<std::size_t>(from)].push_back(to);
    graph[static_cast<std::size_t>(to)].push_back(from);
  }
  for (std::vector<int>& peers : graph) {
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  }
  return graph;
}

bool is_one_way(const std::vector<std::pair<int, int>>& edges) {
  return std::none_of(edges.begin(), edges.end(), [&](const auto& edge) {
    return std::binary_search(edges.begin(), edges.end(), std::pair(edge.second, edge.first));
  });
}

/// Adds to `peers` the neighbours of the rank at coordinates `at`, with steps in dimension `first`
/// and later ones. `moved` is true if the coordinates already include a step in an earlier
/// dimension.
void add_steps(const Pattern& grid, std::vector<int>& at, std::size_t first, bool moved,
               std::vector<int>* peers) {
  if (first == grid.dims.size()) {
    if (!moved) return;
    int rank = 0;
    for (std::size_t d = 0; d < at.size(); ++d) rank = rank * grid.dims[d] + at[d];
    peers->push_back(rank);
    return;
  }
  add_steps(grid, at, first + 1, moved, peers);
  if (moved && !grid.diagonals) return;
  const int own = at[first];
  const int n = grid.dims[first];
  for (const int step : {-1, 1}) {
    int there = own + step;
    if (grid.periodic[first]) there = (there + n) % n;
    if (there < 0 || there >= n) continue;
    at[first] = there;
    add_steps(grid, at, first + 1, true, peers);
  }
  at[first] = own;
}

bool is_grid(const Graph& graph, const Pattern& grid) {
  std::vector<int> at(grid.dims.size(), 0);
  std::vector<int> peers;
  for (std::size_t rank = 0; rank < graph.size(); ++rank) {
    peers.clear();
    add_steps(grid, at, 0, false, &peers);
    if (peers.size() < graph[rank].size()) return false;
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    if (peers != graph[rank]) return false;
    for (std::size_t d = at.size(); d-- > 0;) {  // advances to the coordinates of the next rank
      if (++at[d] < grid.dims[d]) break;
      at[d] = 0;
    }
  }
  return true;
}

/// Tries all grids of one to three dimensions: those without diagonals, then those with; in both
/// cases, fewer dimensions and open borders come first. The graph is undirected, so with two ranks
/// in a dimension, an open and a periodic border look the same; such a border counts as open.
bool find_grid(const Graph& graph, Pattern* found) {
  const int ranks = static_cast<int>(graph.size());
  std::vector<std::vector<int>> shapes = {{ranks}};
  for (int x = 2; x * 2 <= ranks; ++x)
    if (ranks % x == 0) shapes.push_back({x, ranks / x});
  for (int x = 2; x * 4 <= ranks; ++x)
    for (int y = 2; ranks % x == 0 && x * y * 2 <= ranks; ++y)
      if ((ranks / x) % y == 0) shapes.push_back({x, y, ranks / x / y});
  for (const bool diagonals : {false, true})
    for (const std::vector<int>& dims : shapes)
      for (unsigned borders = 0; borders < 1u << dims.size(); ++borders) {
        Pattern grid;
        grid.dims = dims;
        grid.diagonals = diagonals;
        bool possible = !diagonals || dims.size() > 1;
        for (std::size_t d = 0; d < dims.size(); ++d) {
          grid.periodic.push_back((borders >> d & 1) != 0);
          possible = possible && (!grid.periodic[d] || dims[d] > 2);
        }
        if (!possible || !is_grid(graph, grid)) continue;
        grid.kind = dims.size() > 1 ? "stencil" : grid.periodic[0] ? "ring" : "line";
        grid.one_way = found->one_way;
        *found = grid;
        return true;
      }
  return false;
}

/// The rank that exchanges messages with all other ranks, while the others exchange none with each
/// other; -1 if there is none.
int master_of(const Graph& graph) {
  int master = -1;
  for (std::size_t rank = 0; rank < graph.size(); ++rank) {
    if (graph[rank].size() + 1 == graph.size() && master < 0)
      master = static_cast<int>(rank);
    else if (graph[rank].size() != 1)
      return -1;
  }
  return master;
}

bool is_tree(const Graph& graph) {
  std::size_t ends = 0;
  for (const std::vector<int>& peers : graph) ends += peers.size();
  if (ends != 2 * (graph.size() - 1)) return false;
  std::vector<bool> seen(graph.size(), false);
  std::vector<int> open = {0};
  seen[0] = true;
  std::size_t reached = 1;
  while (!open.empty()) {
    const int rank = open.back();
    open.pop_back();
    for (const int peer : graph[static_cast<std::size_t>(rank)]) {
      if (seen[static_cast<std::size_t>(peer)]) continue;
      seen[static_cast<std::size_t>(peer)] = true;
      ++reached;
      open.push_back(peer);
    }
  }
  return reached == graph.size();
}

}  // namespace

Pattern find_pattern(const std::vector<std::pair<int, int>>& edges, int ranks) {
  Pattern found;
  if (edges.empty()) return found;
  found.kind = "none";
  if (ranks < 3) return found;
  const Graph graph = graph_of(edges, ranks);
  found.one_way = is_one_way(edges);
  const bool complete = std::all_of(graph.begin(), graph.end(), [&](const auto& peers) {
    return peers.size() + 1 == graph.size();
  });
  // A complete graph counts as all-to-all, although small periodic grids with diagonals are
  // complete, too. With three ranks, it counts as a ring.
  if (complete && ranks > 3) {
    found.kind = "all-to-all";
  } else if (find_grid(graph, &found)) {
    return found;
  } else if ((found.master = master_of(graph)) >= 0) {
    found.kind = "master-worker";
  } else if (is_tree(graph)) {
    found.kind = "tree";
  }
  return found;
}

std::string to_string(const Pattern& pattern) {
  if (pattern.kind == "line") return "line: each rank exchanges with the ranks before and after it";
  if (pattern.kind == "ring")
    return pattern.one_way ? "ring: each rank sends to the next"
                           : "ring: each rank exchanges with both neighbours";
  if (pattern.kind == "tree") return "tree: the connections between ranks form no cycle";
  if (pattern.kind == "all-to-all") return "all to all: every rank exchanges with every other";
  if (pattern.kind == "master-worker")
    return "master and workers: every message is to or from rank " + std::to_string(pattern.master);
  if (pattern.kind != "stencil") return {};
  const auto wraps = std::count(pattern.periodic.begin(), pattern.periodic.end(), true);
  const bool all = wraps == static_cast<std::ptrdiff_t>(pattern.dims.size());
  std::string text = all ? "periodic grid of " : "grid of ";
  for (std::size_t d = 0; d < pattern.dims.size(); ++d)
    text += (d > 0 ? " x " : "") + std::to_string(pattern.dims[d]) +
            (pattern.periodic[d] && !all ? " (periodic)" : "");
  return text + (pattern.diagonals ? ": each rank exchanges with its direct and diagonal neighbours"
                                   : ": each rank exchanges with its direct neighbours");
}

}  // namespace apmt
