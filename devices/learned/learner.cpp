#include "devices/learned/learner.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/input_error.h"
#include "devices/learned/forest.h"
#include "devices/learned/forest_bank.h"
#include "devices/learned/neighbour.h"
#include "devices/learned/nnge.h"
#include "devices/learned/svm.h"

namespace apmt::learned {

std::vector<std::size_t> all_features(const Lesson& lesson) {
  std::vector<std::size_t> all(lesson.x.empty() ? 0 : lesson.x.front().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

Row selected(const Row& x, const std::vector<std::size_t>& features) {
  Row row;
  row.reserve(features.size());
  for (const std::size_t f : features) row.push_back(x[f]);
  return row;
}

Lesson Lesson::part(const std::vector<std::size_t>& rows,
                    const std::vector<std::size_t>& features) const {
  Lesson lesson;
  lesson.classes = classes;
  for (const std::size_t r : rows) {
    lesson.x.push_back(selected(x[r], features));
    lesson.labels.push_back(labels[r]);
    if (!targets.empty()) lesson.targets.push_back(targets[r]);
    lesson.groups.push_back(groups[r]);
  }
  return lesson;
}

std::string to_string(LearnerKind kind) { return kLearnerNames[static_cast<std::size_t>(kind)]; }

LearnerKind learner_of(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kLearnerNames); ++i)
    if (name == kLearnerNames[i]) return static_cast<LearnerKind>(i);
  throw InputError("", "there is no learner '" + name + "'", "nnge, svm, forest or neighbour");
}

std::unique_ptr<Classifier> learn(const Lesson& lesson, const LearnerOptions& options) {
  if (lesson.size() < 2)
    throw InputError("", "nothing can be learned from fewer than two examples", {},
                     ExitCode::kNotEnoughData);
  if (std::set<int>(lesson.labels.begin(), lesson.labels.end()).size() < 2)
    throw InputError("", "all examples are of one class: there is nothing to tell apart",
                     "ask another question, or add kernels of the other class",
                     ExitCode::kNotEnoughData);
  switch (options.kind) {
    case LearnerKind::kNnge:
      return std::make_unique<Nnge>(lesson, NngeOptions{});
    case LearnerKind::kSvm:
      return learn_svm(lesson, options.gamma);
    case LearnerKind::kForest: {
      const ForestOptions forest{.trees = options.trees, .seed = options.seed};
      if (options.bank == nullptr) return std::make_unique<Forest>(lesson, forest);
      return std::make_unique<Forest>(lesson, options.bank->trees_for(lesson, forest));
    }
    case LearnerKind::kNeighbour:
      break;
  }
  return std::make_unique<Neighbour>(lesson);
}

std::unique_ptr<Classifier> read_classifier(const JsonAt& at) {
  switch (learner_of(at.at("learner").string())) {
    case LearnerKind::kNnge:
      return std::make_unique<Nnge>(at);
    case LearnerKind::kSvm:
      return std::make_unique<Svm>(at);
    case LearnerKind::kForest:
      return std::make_unique<Forest>(at);
    case LearnerKind::kNeighbour:
      break;
  }
  return std::make_unique<Neighbour>(at);
}

Row margins_of(const Row& distances) {
  Row margins;
  for (std::size_t c = 0; c < distances.size(); ++c) {
    double other = std::numeric_limits<double>::infinity();
    for (std::size_t o = 0; o < distances.size(); ++o)
      if (o != c) other = std::min(other, distances[o]);
    const double own = distances[c];
    if (own == other)
      margins.push_back(0);
    else if (other == std::numeric_limits<double>::infinity())
      margins.push_back(1);
    else if (own == std::numeric_limits<double>::infinity())
      margins.push_back(-1);
    else
      margins.push_back((other - own) / (other + own));
  }
  return margins;
}

int largest(const Row& values) {
  return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

double as_on_any_machine(double value) { return std::round(value * 0x1p24) * 0x1p-24; }

double rounded(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 8);
  double result = 0;
  std::from_chars(text, end.ptr, result);
  return result;
}

Row rounded(Row values) {
  for (double& value : values) value = rounded(value);
  return values;
}

Json matrix_to_json(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(row);
  return json;
}

Row row_from(const JsonAt& at) {
  Row row;
  at.for_each([&](const JsonAt& value) {
    row.push_back(value.number());
    if (std::abs(row.back()) > kLargestNumber) value.fail("a number from -1e100 to 1e100");
  });
  return row;
}

std::vector<int> whole_numbers_from(const JsonAt& at, int low, int high) {
  std::vector<int> numbers;
  at.for_each([&](const JsonAt& value) {
    numbers.push_back(static_cast<int>(value.integer_in(low, high)));
  });
  return numbers;
}

std::vector<Row> matrix_from(const JsonAt& at) {
  std::vector<Row> rows;
  at.for_each([&](const JsonAt& line) { rows.push_back(row_from(line)); });
  for (const Row& row : rows)
    if (row.size() != rows.front().size()) at.fail("lines of equal length");
  return rows;
}

}  // namespace apmt::learned
