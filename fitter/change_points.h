// Finds where a series of times, one for each version of a program, changes its level.
#pragma once

#include <cstddef>
#include <vector>

namespace apmt {

struct ChangePoint {
  std::size_t at = 0;        // the most likely first value of the new level
  std::size_t earliest = 0;  // with a probability of 80 % it is in earliest..latest
  std::size_t latest = 0;
  double before = 0;  // geometric means of the levels before and after
  double after = 0;
  double chance = 0;  // p-value: so clear a change in a series without any
  double change() const { return after / before - 1; }
};

struct ChangeOptions {
  double level = 0.05;         // the chance above which nothing is said
  double least_change = 0.01;  // of the level before: smaller ones are no one's concern
  int orders = 1999;           // random orders that tell the chance: none below 1 / (orders + 1)
};

/// With fewer values nothing can be concluded.
constexpr std::size_t kLeastVersions = 6;

/// So many random orders that chances far below `level` can be told apart.
int orders_for(double level);

/// Chance that values in a random order would show a change as clearly as these in their order
/// do: by the likelihood ratio of one change against none, averaged over where it may be, and
/// random orders. Times above 0; the same for the same values on every machine.
double chance_of_change(const std::vector<double>& times, int orders);

/// All changes, sorted by position. The clearest is found first, then those before and after it.
std::vector<ChangePoint> find_changes(const std::vector<double>& times,
                                      const ChangeOptions& options = {});

}  // namespace apmt
