// Finds the nearest training example. Every feature is scaled to its range in the training data.
#pragma once

#include "devices/learned/learner.h"

namespace apmt::learned {

class Neighbour : public Classifier {
 public:
  explicit Neighbour(const Lesson& lesson);
  explicit Neighbour(const JsonAt& at);
  int classes() const override { return classes_; }
  bool takes(std::size_t features) const override { return features == x_.front().size(); }
  Answer answer(const Row& x) const override;
  Row weights(const Row& x) const override;
  Json to_json() const override;

 private:
  std::size_t nearest(const Row& x, Row* distances) const;

  int classes_ = 2;
  Row low_;
  Row high_;
  std::vector<Row> x_;
  std::vector<int> labels_;
};

/// The minimum and maximum of each feature.
std::pair<Row, Row> ranges_of(const std::vector<Row>& x);

}  // namespace apmt::learned
