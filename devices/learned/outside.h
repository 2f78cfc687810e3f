// Decides whether a kernel is similar enough to those in the training data.
#pragma once

#include <string>
#include <vector>

#include "devices/learned/learner.h"

namespace apmt::learned {

/// Tells whether a kernel is unlike all examples. The distance between two kernels is the root mean
/// square difference of their features, each in units of its standard deviation. A kernel is unlike
/// all examples if its distance to the nearest one is above a limit. For nine tenths of the
/// examples, the nearest example of another group (application) is within this limit, so the limit
/// describes how much a new group may differ. If all examples are of one group, nothing is known
/// about other groups, and the limit is 0.
class Outside {
 public:
  Outside() = default;
  Outside(const std::vector<Row>& x, const std::vector<std::string>& groups);

  double distance(const Row& x) const;
  double limit() const { return limit_; }
  bool is_outside(const Row& x) const { return distance(x) > limit_; }
  /// The examples nearest to x, with their distances.
  std::vector<std::pair<double, std::size_t>> nearest(const Row& x, std::size_t count) const;
  /// The difference of two rows in a feature, in standard deviations.
  double difference(const Row& a, const Row& b, std::size_t feature) const;

 private:
  double between(const Row& a, const Row& b) const;

  std::vector<Row> x_;
  Row deviation_;
  double limit_ = 0;
};

}  // namespace apmt::learned
