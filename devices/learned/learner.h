// The interface of all learners: a lesson (the training data for one question) gives a classifier.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/checked_json.h"

namespace apmt::learned {

using Row = std::vector<double>;

/// Examples with their classes. All features are known; of the targets some may be NaN.
struct Lesson {
  std::vector<Row> x;
  std::vector<int> labels;
  int classes = 2;
  std::vector<Row> targets;         // what the forest splits by: logarithms of times
  std::vector<std::string> groups;  // of each example: what is left out together

  std::size_t size() const { return x.size(); }
  /// These examples with these features.
  Lesson part(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& features) const;
};

std::vector<std::size_t> all_features(const Lesson& lesson);
Row selected(const Row& x, const std::vector<std::size_t>& features);

struct Answer {
  int chosen = 0;
  Row margins = {};  // one for each class: above zero where the example looks like it
};

class Classifier {
 public:
  virtual ~Classifier() = default;
  virtual Answer answer(const Row& x) const = 0;
  /// The weight of each training example in this classification; empty for learners without such
  /// weights.
  virtual Row weights(const Row&) const { return {}; }
  virtual Json to_json() const = 0;
};

enum class LearnerKind { kNnge, kSvm, kForest, kNeighbour };
inline constexpr const char* kLearnerNames[] = {"nnge", "svm", "forest", "neighbour"};
std::string to_string(LearnerKind kind);
/// Throws InputError that lists the learners.
LearnerKind learner_of(const std::string& name);

class ForestBank;

struct LearnerOptions {
  LearnerKind kind = LearnerKind::kForest;
  std::uint64_t seed = 1;
  double gamma = 0;  // of the SVM; 0: 1 / features
  int trees = 100;
  ForestBank* bank = nullptr;  // keeps trees for other questions of the same examples
};

/// Throws InputError where nothing can be learned: fewer than two examples, or a single class.
std::unique_ptr<Classifier> learn(const Lesson& lesson, const LearnerOptions& options);
std::unique_ptr<Classifier> read_classifier(const JsonAt& at);

/// Margins (-1 to 1) from the distances to the nearest example of each class.
Row margins_of(const Row& distances);
/// The first of the largest.
int largest(const Row& values);

Json matrix_to_json(const std::vector<Row>& rows);
std::vector<Row> matrix_from(const JsonAt& at);
Row row_from(const JsonAt& at);

/// Rounded to nine significant digits, because the digits beyond them differ between machines.
double rounded(double value);
Row rounded(Row values);

}  // namespace apmt::learned
