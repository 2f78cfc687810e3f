// train_all DATA FOLDER: trains the learners on a data set and writes the models and the scores to
// FOLDER, so that builds for several machines can be compared.

#include <cstdio>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/checked_json.h"
#include "devices/learned/learned_model.h"

using namespace apmt;
using namespace apmt::learned;

namespace {

// The SVM is left out, because its solutions depend on how libsvm was compiled.
const std::vector<LearnerKind> kLearners = {LearnerKind::kNnge, LearnerKind::kForest,
                                            LearnerKind::kNeighbour};

/// Rounds the scores, whose last digits differ between machines. validate() leaves them unrounded,
/// because no decision depends on them.
Json with_rounded_numbers(Json json) {
  if (json.is_structured())
    for (Json& each : json) each = with_rounded_numbers(std::move(each));
  return json.is_number_float() ? Json(rounded(json.get<double>())) : json;
}

/// The questions: which device is best, whether each speed-up is above 1, 2 and 5, and how long a
/// kernel takes on two of the devices.
std::vector<Question> questions_of(const DataHead& head) {
  std::vector<Question> questions = speed_up_questions(head, kAdvisedSpeedUps);
  Question best{.kind = Question::Kind::kBest};
  for (const KnownDevice& device : head.devices) best.devices.push_back(device.name);
  questions.push_back(std::move(best));
  for (const KnownDevice* device : {&head.devices.front(), &head.devices.back()})
    questions.push_back({.kind = Question::Kind::kTime, .device = device->name});
  return questions;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::filesystem::path folder = argv[2];
  const DataSet data = read_data_set(argv[1]);
  std::filesystem::create_directories(folder);
  ValidationOptions options{.learners = {}, .splits = {Split::kOneApplication}};
  for (const LearnerKind learner : kLearners) {
    options.learners = {learner};
    write_file_atomically(folder / (to_string(learner) + ".model.json"),
                          to_text(train_model(data, options)));
  }
  options.learners = kLearners;
  write_file_atomically(
      folder / "scores.json",
      format_json(with_rounded_numbers(to_json(validate(data, questions_of(data.head), options)))));
}
