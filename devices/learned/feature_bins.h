// The mutual information between a feature and the class, updated with each new example.
#pragma once

#include <vector>

#include "devices/learned/learner.h"

namespace apmt::learned {

class FeatureBins {
 public:
  FeatureBins(std::size_t feature, int classes) : feature_(feature), classes_(classes) {}

  /// Adds the example with the index `count` - 1. Examples must be added in order, without gaps.
  void add(const std::vector<Row>& x, const std::vector<int>& labels, std::size_t count);
  double information() const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  static constexpr int kBins = 5;
  void place(double value, int label);

  std::size_t feature_;
  int classes_;
  double low_ = 0;
  double high_ = 0;
  std::size_t count_ = 0;
  std::vector<double> of_class_ = {};
  std::vector<double> in_bin_ = {};  // number of examples, at index bin * classes + class
};

}  // namespace apmt::learned
