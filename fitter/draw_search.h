// Finds the process count at which something happens, in every draw.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fitter/prediction.h"

namespace apmt {

/// Predictions at process counts, each computed once.
class Glances {
 public:
  explicit Glances(std::function<Glance(int)> make) : make_(std::move(make)) {}
  const Glance& at(int procs);
  /// Every process count looked at so far.
  std::set<int> counts() const;

 private:
  std::function<Glance(int)> make_;
  std::map<int, Glance> made_;
};

/// Doublings from one process count to another, both included.
std::vector<int> doublings(int from, int to);

/// Where efficiency first falls below `limit`; absent if that happens in no more than half of the
/// draws.
std::optional<ProcsEstimate> first_below(Glances* glances, const std::vector<int>& counts,
                                         double limit, double confidence);

/// What bounds the time at each count, from the estimates, and where it changes, from the draws.
/// The first entry is for the first count.
struct BoundChange {
  std::string bound;
  ProcsEstimate from;
};
std::vector<BoundChange> changes_of_bound(Glances* glances, const std::vector<int>& counts,
                                          double confidence);

/// The interval of the count with the least time, which is `procs`.
ProcsEstimate least_time(Glances* glances, int procs, double confidence);

}  // namespace apmt
