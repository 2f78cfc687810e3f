// The interface of all learners. A learner makes a classifier from a lesson (the training data for
// one question).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/checked_json.h"

namespace apmt::learned {

using Row = std::vector<double>;

/// Examples with their classes. Every feature has a value; targets may be NaN.
struct Lesson {
  std::vector<Row> x;
  std::vector<int> labels;
  int classes = 2;
  std::vector<Row> targets;         // logarithms of times, by which the forest splits
  std::vector<std::string> groups;  // of each example; a group is left out as a whole

  std::size_t size() const { return x.size(); }
  /// A lesson with only these examples and features.
  Lesson part(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& features) const;
};

std::vector<std::size_t> all_features(const Lesson& lesson);
Row selected(const Row& x, const std::vector<std::size_t>& features);

struct Answer {
  int chosen = 0;
  Row margins = {};  // one for each class: above zero if the example looks like that class
};

class Classifier {
 public:
  virtual ~Classifier() = default;
  virtual int classes() const = 0;
  /// Whether the classifier accepts examples with this many features.
  virtual bool takes(std::size_t features) const = 0;
  virtual Answer answer(const Row& x) const = 0;
  /// The weight of each training example in this classification; empty for learners without such
  /// weights.
  virtual Row weights(const Row&) const { return {}; }
  virtual Json to_json() const = 0;
};

enum class LearnerKind { kNnge, kSvm, kForest, kNeighbour };
inline constexpr const char* kLearnerNames[] = {"nnge", "svm", "forest", "neighbour"};
std::string to_string(LearnerKind kind);
/// The learner with this name. If there is none, throws InputError, which lists the names.
LearnerKind learner_of(const std::string& name);

class ForestBank;

struct LearnerOptions {
  LearnerKind kind = LearnerKind::kForest;
  std::uint64_t seed = 1;
  double gamma = 0;  // of the SVM's kernel; 0: 1 / number of features
  int trees = 100;
  ForestBank* bank = nullptr;  // trees shared with other questions about the same examples
};

/// Throws InputError if nothing can be learned: fewer than two examples, or a single class.
std::unique_ptr<Classifier> learn(const Lesson& lesson, const LearnerOptions& options);
std::unique_ptr<Classifier> read_classifier(const JsonAt& at);

/// Margins from -1 to 1, calculated from the distances to the nearest example of each class.
Row margins_of(const Row& distances);
/// The index of the largest value, the first if several are equal.
int largest(const Row& values);

/// The largest absolute value that features and other numbers in files may have. With larger
/// values, squares of differences would not be finite.
inline constexpr double kLargestNumber = 1e100;

Json matrix_to_json(const std::vector<Row>& rows);
std::vector<Row> matrix_from(const JsonAt& at);
Row row_from(const JsonAt& at);
/// Whole numbers from `low` to `high`.
std::vector<int> whole_numbers_from(const JsonAt& at, int low, int high);

/// The value rounded to a multiple of 2^-24, so that small differences between mathematics
/// libraries cannot change the result of a comparison.
double as_on_any_machine(double value);

/// The value rounded to nine significant digits, because further digits differ between machines.
double rounded(double value);
Row rounded(Row values);

}  // namespace apmt::learned
