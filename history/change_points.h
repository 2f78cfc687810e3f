// Finds where a series of times, one for each version of a program, changes its level.
#pragma once

#include <cstddef>
#include <vector>

namespace apmt {

struct ChangePoint {
  std::size_t at = 0;        // index of the most likely first value of the new level
  std::size_t earliest = 0;  // that value is in earliest..latest with a probability of 80 %
  std::size_t latest = 0;
  double before = 0;  // geometric means of the times before and after the change
  double after = 0;
  double chance = 0;  // p-value: probability that chance alone makes a change this clear
  double change() const { return after / before - 1; }
};

struct ChangeOptions {
  double level = 0.05;         // changes with a higher p-value (`chance`) are not reported
  double least_change = 0.01;  // relative to the level before; smaller ones are not reported
  int orders = 1999;           // random orders tried; no p-value can be below 1 / (orders + 1)
};

/// The fewest values that allow a conclusion. Six values, for example, of which three are fast and
/// three are slow, have only 20 different orders, so even the clearest change has a p-value of 5 %.
constexpr std::size_t kLeastVersions = 7;

/// The number of random orders with which p-values can be as small as a tenth of `level`.
int orders_for(double level);

/// The probability that the times in a random order show a change as clearly as in the given order:
/// the p-value of a permutation test. The statistic of the test is the likelihood of one change,
/// averaged over its possible positions, divided by the likelihood of no change. Changes to longer
/// times have three times the weight of changes to shorter ones, because users of a history look
/// for slow-downs. Times must be above 0. The result is the same on every machine.
double chance_of_change(const std::vector<double>& times, int orders);

/// All changes, sorted by position. The clearest change is found first; the times before it and
/// after it are then searched in the same way.
std::vector<ChangePoint> find_changes(const std::vector<double>& times,
                                      const ChangeOptions& options = {});

}  // namespace apmt
