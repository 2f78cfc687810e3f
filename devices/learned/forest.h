// A small random forest. Its splits minimise the variance of logarithms of times; its leaves hold
// examples, which vote for their classes.
#pragma once

#include "devices/learned/learner.h"

namespace apmt::learned {

struct ForestOptions {
  int trees = 100;
  std::uint64_t seed = 1;
  std::size_t least_in_leaf = 3;
};

class Forest : public Classifier {
 public:
  struct Node {
    int feature = -1;  // -1: a leaf
    double threshold = 0;
    int below = -1;  // the child for values up to the threshold; the other child follows it
    std::vector<std::size_t> examples = {};  // of a leaf; one entry each time it was drawn
  };
  using Tree = std::vector<Node>;

  Forest(const Lesson& lesson, const ForestOptions& options);
  /// Uses existing trees, which were grown for the same examples.
  Forest(const Lesson& lesson, std::shared_ptr<const std::vector<Tree>> trees);
  explicit Forest(const JsonAt& at);
  int classes() const override { return classes_; }
  bool takes(std::size_t features) const override;
  Answer answer(const Row& x) const override;
  Row weights(const Row& x) const override;
  Json to_json() const override;

 private:
  int classes_ = 2;
  std::vector<int> labels_;
  std::shared_ptr<const std::vector<Tree>> trees_;
};

std::vector<Forest::Tree> grow_trees(const Lesson& lesson, const ForestOptions& options);

}  // namespace apmt::learned
