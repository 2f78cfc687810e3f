// Finds the process count at which something happens in every draw, such as efficiency falling
// below a limit.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fitter/prediction.h"

namespace apmt {

/// Predictions by process count; each is computed only once.
class Glances {
 public:
  explicit Glances(std::function<Glance(int)> make) : make_(std::move(make)) {}
  const Glance& at(int procs);
  /// Every process count evaluated so far.
  std::set<int> counts() const;

 private:
  std::function<Glance(int)> make_;
  std::map<int, Glance> made_;
};

/// The process counts `from`, 2 * `from`, 4 * `from` and so on, up to `to`, which is included.
std::vector<int> doublings(int from, int to);

/// Where efficiency first falls below `limit`. Absent unless it does so in more than half of the
/// draws.
std::optional<ProcsEstimate> first_below(Glances* glances, const std::vector<int>& counts,
                                         double limit, double confidence);

/// A part that dominates the time from some process count on. The estimates determine which part
/// that is; the draws determine from which count on. The first change begins at the first count.
struct BoundChange {
  std::string bound;
  ProcsEstimate from;
};
std::vector<BoundChange> changes_of_bound(Glances* glances, const std::vector<int>& counts,
                                          double confidence);

/// `procs` is the count with the least time; adds its interval.
ProcsEstimate least_time(Glances* glances, int procs, double confidence);

}  // namespace apmt
