// Whether a kernel is like those that were learned from.
#pragma once

#include <string>
#include <vector>

#include "devices/learned/learner.h"

namespace apmt::learned {

/// Root mean square difference of the features to the nearest example, each feature in its standard
/// deviations. Examples of one group are not held against each other, so the limit is what a new
/// group looks like: of groups like those known, a tenth of the examples are told to be outside.
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
