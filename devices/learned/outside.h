// Whether a kernel is similar to those in the training data.
#pragma once

#include <string>
#include <vector>

#include "devices/learned/learner.h"

namespace apmt::learned {

/// The distance is the root mean square difference of the features to the nearest example, each
/// feature in units of its standard deviation. Examples of one group (application) are not compared
/// with each other, so the limit describes how different a new group may be: nine tenths of the
/// examples are within it.
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
