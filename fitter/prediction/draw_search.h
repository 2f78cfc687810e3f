// Finds for every draw the process count at which something happens: for example, the count at
// which efficiency falls below a limit.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitter/prediction/prediction.h"

namespace apmt {

/// Predictions by process count; each is computed only once.
class Glances {
 public:
  explicit Glances(std::function<Glance(int)> make) : make_(std::move(make)) {}
  const Glance& at(int procs);
  /// Every process count evaluated so far, sorted.
  std::vector<int> counts() const;

 private:
  std::function<Glance(int)> make_;
  std::map<int, Glance> made_;
};

/// Predictions of the scenario at other process counts. The predictor must outlive them.
Glances glances_of(const Predictor& predictor, const Scenario& scenario);

/// With one core per process.
inline double core_hours(int procs, double time_s) { return procs * time_s / 3600; }

/// The process counts `from`, 2 * `from`, 4 * `from` and so on below `to`, and then `to` itself.
std::vector<int> doublings(int from, int to);

/// The first count above `before` at which the condition holds, accurate to 6 %. It holds at
/// `after`, and not at `before`.
int first_between(int before, int after, const std::function<bool(int)>& holds);

/// The process count at which efficiency first falls below `limit`. Absent unless it does so in
/// more than half of the draws.
std::optional<ProcsEstimate> first_below(Glances* glances, const std::vector<int>& counts,
                                         double limit, double confidence);

/// A part that dominates the time from some process count on, according to the estimates. The
/// interval of this count comes from the draws. The first entry begins at the first count searched.
struct BoundChange {
  std::string bound;
  ProcsEstimate from;
};
std::vector<BoundChange> changes_of_bound(Glances* glances, const std::vector<int>& counts,
                                          double confidence);

/// The share of draws in which another part than `bound` dominates.
double share_with_other_bound(const Glance& glance, const std::string& bound);

/// `procs`, the process count with the least time, with its interval.
ProcsEstimate least_time(Glances* glances, int procs, double confidence);

}  // namespace apmt
