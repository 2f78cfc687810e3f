// A support vector machine with a radial kernel. libsvm trains it; prediction is implemented here,
// so that a build without libsvm can use trained models.
#pragma once

#include "devices/learned/learner.h"

namespace apmt::learned {

/// Whether this build can train an SVM.
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
    std::vector<int> counts;        // support vectors of each class
    std::vector<Row> vectors;       // the support vectors, scaled
    std::vector<Row> coefficients;  // one row less than there are classes
    Row rho;                        // one for each pair of classes
  };
  explicit Svm(Parts parts) : parts_(std::move(parts)) {}
  explicit Svm(const JsonAt& at);
  int classes() const override { return parts_.classes; }
  bool takes(std::size_t features) const override { return features == parts_.low.size(); }
  Answer answer(const Row& x) const override;
  Json to_json() const override;

 private:
  Parts parts_;
};

Row scaled(const Row& x, const Row& low, const Row& high);

/// Throws InputError if this build has no libsvm.
std::unique_ptr<Classifier> learn_svm(const Lesson& lesson, double gamma);

}  // namespace apmt::learned
