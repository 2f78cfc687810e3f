#include "devices/learned/svm.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace apmt::learned {

Row scaled(const Row& x, const Row& low, const Row& high) {
  Row out(x.size());
  for (std::size_t f = 0; f < x.size(); ++f)
    out[f] = high[f] > low[f] ? (x[f] - low[f]) / (high[f] - low[f]) : 0;
  return out;
}

/// Every pair of classes votes. If several classes have the most votes, the class that libsvm met
/// first in the training data wins.
Answer Svm::answer(const Row& x) const {
  const Row at = scaled(x, parts_.low, parts_.high);
  Row kernel;
  for (const Row& vector : parts_.vectors) {
    double square = 0;
    for (std::size_t f = 0; f < at.size(); ++f) square += (at[f] - vector[f]) * (at[f] - vector[f]);
    kernel.push_back(std::exp(-parts_.gamma * square));
  }
  const std::size_t classes = parts_.labels.size();
  std::vector<std::size_t> start(classes, 0);
  for (std::size_t c = 1; c < classes; ++c)
    start[c] = start[c - 1] + static_cast<std::size_t>(parts_.counts[c - 1]);
  Row votes(classes);
  // For each class, the lowest decision value among the pairs that contain it.
  Row least(classes, std::numeric_limits<double>::infinity());
  std::size_t pair = 0;
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = i + 1; j < classes; ++j, ++pair) {
      double decision = -parts_.rho[pair];
      for (std::size_t k = start[i]; k < start[i] + static_cast<std::size_t>(parts_.counts[i]); ++k)
        decision += parts_.coefficients[j - 1][k] * kernel[k];
      for (std::size_t k = start[j]; k < start[j] + static_cast<std::size_t>(parts_.counts[j]); ++k)
        decision += parts_.coefficients[i][k] * kernel[k];
      ++votes[decision > 0 ? i : j];
      least[i] = std::min(least[i], decision);
      least[j] = std::min(least[j], -decision);
    }
  Answer answer;
  answer.chosen = parts_.labels[static_cast<std::size_t>(largest(votes))];
  answer.margins.assign(static_cast<std::size_t>(parts_.classes), -2);
  for (std::size_t c = 0; c < classes; ++c)
    answer.margins[static_cast<std::size_t>(parts_.labels[c])] = least[c];
  return answer;
}

Json Svm::to_json() const {
  std::vector<Row> coefficients;
  for (const Row& row : parts_.coefficients) coefficients.push_back(rounded(row));
  return {{"learner", "svm"},
          {"classes", parts_.classes},
          {"gamma", parts_.gamma},
          {"range", matrix_to_json({parts_.low, parts_.high})},
          {"labels", parts_.labels},
          {"counts", parts_.counts},
          {"vectors", matrix_to_json(parts_.vectors)},
          {"coefficients", matrix_to_json(coefficients)},
          {"rho", matrix_to_json({rounded(parts_.rho)})}};
}

Svm::Svm(const JsonAt& at) {
  parts_.classes = static_cast<int>(at.at("classes").integer_in(2, 1000));
  parts_.gamma = at.at("gamma").non_negative();
  if (parts_.gamma > kLargestNumber) at.at("gamma").fail("a number up to 1e100");
  const std::vector<Row> range = matrix_from(at.at("range"));
  if (range.size() != 2) at.fail("the range of each feature");
  parts_.low = range[0];
  parts_.high = range[1];
  parts_.labels = whole_numbers_from(at.at("labels"), 0, parts_.classes - 1);
  parts_.counts = whole_numbers_from(at.at("counts"), 0, 1 << 24);
  std::size_t all = 0;
  for (const int count : parts_.counts) all += static_cast<std::size_t>(count);
  parts_.vectors = matrix_from(at.at("vectors"));
  parts_.coefficients = matrix_from(at.at("coefficients"));
  const std::vector<Row> rho = matrix_from(at.at("rho"));
  const std::size_t classes = parts_.labels.size();
  if (classes < 2 || parts_.counts.size() != classes || parts_.vectors.size() != all || all == 0 ||
      parts_.vectors[0].size() != parts_.low.size() || parts_.coefficients.size() != classes - 1 ||
      parts_.coefficients[0].size() != all || rho.size() != 1 ||
      rho[0].size() != classes * (classes - 1) / 2)
    at.fail("as many support vectors and coefficients as its classes say");
  parts_.rho = rho[0];
}

}  // namespace apmt::learned
