// Nearest neighbour with generalised exemplars (Martin 1995): an exemplar is a box that holds
// examples of one class only, and is never extended over another box. docs/learned.md describes the
// algorithm.
#pragma once

#include <vector>

#include "devices/learned/learner.h"

namespace apmt::learned {

struct NngeOptions {
  int tries = 5;  // how many boxes of its class are tried for an example
};

class Nnge : public Classifier {
 public:
  struct Exemplar {
    int label = 0;
    Row low;
    Row high;
    std::vector<std::size_t> members = {};  // examples in the box, only during training
  };

  /// The result depends on the order of the examples.
  Nnge(const Lesson& lesson, const NngeOptions& options);
  explicit Nnge(const JsonAt& at);

  int classes() const override { return classes_; }
  bool takes(std::size_t features) const override { return features == low_.size(); }
  Answer answer(const Row& x) const override;
  Json to_json() const override;

  const std::vector<Exemplar>& exemplars() const { return exemplars_; }
  const Row& feature_weights() const { return weights_; }

 private:
  double squared_distance(const Row& x, const Exemplar& exemplar) const;
  void add(const Lesson& lesson, std::size_t example, const NngeOptions& options);
  void split(const Lesson& lesson, std::size_t which, const Row& x);
  bool generalise(const Lesson& lesson, std::size_t example, int tries);
  bool is_free(const Exemplar& box, const Exemplar* except) const;

  int classes_ = 2;
  Row low_;  // lowest value of each feature so far
  Row high_;
  Row weights_;
  std::vector<Exemplar> exemplars_;
};

/// The mutual information between each feature, in five bins of equal width, and the class.
Row mutual_information(const std::vector<Row>& x, const std::vector<int>& labels, int classes);

}  // namespace apmt::learned
