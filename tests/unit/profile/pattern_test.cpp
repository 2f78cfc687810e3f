#include "profile/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

namespace apmt {
namespace {

using Edges = std::vector<std::pair<int, int>>;

Edges edges_where(int ranks, const std::function<bool(int, int)>& sends) {
  Edges edges;
  for (int a = 0; a < ranks; ++a)
    for (int b = 0; b < ranks; ++b)
      if (a != b && sends(a, b)) edges.emplace_back(a, b);
  return edges;
}

/// The distance between two coordinates. It may go across the border if the grid is periodic.
int apart(int a, int b, int n, bool periodic) {
  const int d = std::abs(a - b);
  return periodic ? std::min(d, n - d) : d;
}

TEST(Pattern, RingsAndLines) {
  const auto ring =
      find_pattern(edges_where(7, [](int a, int b) { return apart(a, b, 7, true) == 1; }), 7);
  EXPECT_EQ(ring.kind, "ring");
  EXPECT_FALSE(ring.one_way);
  const auto to_next =
      find_pattern(edges_where(7, [](int a, int b) { return b == (a + 1) % 7; }), 7);
  EXPECT_EQ(to_next.kind, "ring");
  EXPECT_TRUE(to_next.one_way);
  EXPECT_EQ(find_pattern(edges_where(7, [](int a, int b) { return std::abs(a - b) == 1; }), 7).kind,
            "line");
}

TEST(Pattern, StencilsOfTwoDimensions) {
  for (const bool periodic_x : {false, true})
    for (const bool periodic_y : {false, true}) {
      const auto found = find_pattern(edges_where(24,
                                                  [&](int a, int b) {
                                                    return apart(a / 6, b / 6, 4, periodic_x) +
                                                               apart(a % 6, b % 6, 6, periodic_y) ==
                                                           1;
                                                  }),
                                      24);
      EXPECT_EQ(found.kind, "stencil");
      EXPECT_EQ(found.dims, (std::vector<int>{4, 6}));
      EXPECT_EQ(found.periodic, (std::vector<bool>{periodic_x, periodic_y}));
      EXPECT_FALSE(found.diagonals);
    }
}

TEST(Pattern, StencilsOfThreeDimensionsWithAndWithoutDiagonals) {
  for (const bool diagonals : {false, true}) {
    const auto found =
        find_pattern(edges_where(60,
                                 [&](int a, int b) {
                                   const int x = apart(a / 20, b / 20, 3, false);
                                   const int y = apart(a / 5 % 4, b / 5 % 4, 4, true);
                                   const int z = apart(a % 5, b % 5, 5, true);
                                   return diagonals ? std::max({x, y, z}) == 1 : x + y + z == 1;
                                 }),
                     60);
    EXPECT_EQ(found.kind, "stencil");
    EXPECT_EQ(found.dims, (std::vector<int>{3, 4, 5}));
    EXPECT_EQ(found.periodic, (std::vector<bool>{false, true, true}));
    EXPECT_EQ(found.diagonals, diagonals);
  }
}

TEST(Pattern, TreeMasterAndAll) {
  EXPECT_EQ(
      find_pattern(edges_where(16, [](int a, int b) { return a == (b & (b - 1)) && b > 0; }), 16)
          .kind,
      "tree");
  const auto master =
      find_pattern(edges_where(9, [](int a, int b) { return a == 3 || b == 3; }), 9);
  EXPECT_EQ(master.kind, "master-worker");
  EXPECT_EQ(master.master, 3);
  EXPECT_EQ(find_pattern(edges_where(9, [](int, int) { return true; }), 9).kind, "all-to-all");
}

TEST(Pattern, NoneWhenItIsNone) {
  EXPECT_EQ(find_pattern({}, 8).kind, "");
  EXPECT_EQ(find_pattern({{0, 1}, {1, 0}}, 2).kind, "none") << "two ranks fit every pattern";
  Edges ring = edges_where(16, [](int a, int b) { return apart(a, b, 16, true) == 1; });
  ring.emplace_back(3, 9);
  std::sort(ring.begin(), ring.end());
  EXPECT_EQ(find_pattern(ring, 16).kind, "none") << "one edge too many";
  Edges grid = edges_where(
      16, [](int a, int b) { return std::abs(a / 4 - b / 4) + std::abs(a % 4 - b % 4) == 1; });
  std::erase_if(grid, [](const auto& e) { return e == std::pair(5, 6) || e == std::pair(6, 5); });
  EXPECT_EQ(find_pattern(grid, 16).kind, "none") << "one edge missing";
  std::mt19937 random(1);
  EXPECT_EQ(find_pattern(edges_where(40, [&](int, int) { return random() % 8 == 0; }), 40).kind,
            "none");
}

TEST(Pattern, SaysItForPeople) {
  Pattern grid;
  grid.kind = "stencil";
  grid.dims = {4, 4};
  grid.periodic = {true, true};
  EXPECT_EQ(to_string(grid),
            "periodic grid of 4 x 4: each rank exchanges with its direct neighbours");
  grid.dims = {2, 3, 4};
  grid.periodic = {false, true, false};
  grid.diagonals = true;
  EXPECT_EQ(to_string(grid),
            "grid of 2 x 3 (periodic) x 4: each rank exchanges with its direct and diagonal "
            "neighbours");
  EXPECT_EQ(to_string(Pattern()), "");
}

}  // namespace
}  // namespace apmt
