// At which process count something happens, in every draw.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fitter/prediction.h"

namespace apmt {

/// Glances at process counts, each made once.
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

/// Where efficiency first is below `limit`; absent where it is in no more than half of the draws.
std::optional<ProcsEstimate> first_below(Glances* glances, const std::vector<int>& counts,
                                         double limit, double confidence);

/// What bounds the time along the counts: as in glances, and where it changes as in the draws. The
/// first is of the first count.
struct BoundChange {
  std::string bound;
  ProcsEstimate from;
};
std::vector<BoundChange> changes_of_bound(Glances* glances, const std::vector<int>& counts,
                                          double confidence);

/// Where the time is least: the interval only, about `procs`.
ProcsEstimate least_time(Glances* glances, int procs, double confidence);

}  // namespace apmt
