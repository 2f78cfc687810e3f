// A support vector machine with a radial kernel. libsvm trains it, but prediction is implemented
// here, so that a model can be used without libsvm.
#pragma once

#include "devices/learned/learner.h"

namespace apmt::learned {

/// Whether this build can train one.
bool has_svm();

inline constexpr double kSvmCost = 100;

/// Features are scaled to 0..1 by their range in the training data.
class Svm : public Classifier {
 public:
  struct Parts {
    int classes = 2;
    double gamma = 1;
    Row low;
    Row high;
    std::vector<int> labels;        // in libsvm's order of classes
    std::vector<int> counts;        // support vectors of each of them
    std::vector<Row> vectors;       // scaled
    std::vector<Row> coefficients;  // one row for each class but one
    Row rho;                        // of each pair of classes
  };
  explicit Svm(Parts parts) : parts_(std::move(parts)) {}
  explicit Svm(const JsonAt& at);
  Answer answer(const Row& x) const override;
  Json to_json() const override;

 private:
  Parts parts_;
};

Row scaled(const Row& x, const Row& low, const Row& high);

/// Throws InputError if this build is without libsvm.
std::unique_ptr<Classifier> learn_svm(const Lesson& lesson, double gamma);

}  // namespace apmt::learned
