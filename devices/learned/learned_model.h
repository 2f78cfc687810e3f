// A learned model together with its training data and its scores.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "devices/learned/data_set.h"
#include "devices/learned/outside.h"
#include "devices/learned/question.h"
#include "devices/learned/training.h"
#include "devices/learned/validation.h"

namespace apmt::learned {

/// One question with its trained classifier, and the classifier's scores in a validation that left
/// out one application at a time.
struct LearnedQuestion {
  Question question;
  std::optional<Trained> trained;  // absent: see `unknown`
  std::optional<double> brier = {};
  std::optional<double> base_brier = {};
  std::string unknown = {};  // why nothing was learned or validated

  /// A question is answered only if its classifier has a better Brier score than the base rate, on
  /// kernels of applications outside its training data.
  bool is_answered() const { return trained && brier && base_brier && *brier < *base_brier; }
};

struct LearnedModel {
  DataSet data;
  LearnerKind learner = LearnerKind::kForest;
  std::uint64_t seed = 1;
  int trees = 100;
  std::vector<LearnedQuestion> questions;
};

/// For every device but the reference, the model answers whether the speed-up is above each of
/// these thresholds.
inline const std::vector<double> kAdvisedSpeedUps = {1, 2, 5};

LearnedModel train_model(DataSet data, const ValidationOptions& options);

/// The text of the model's file. Trees that several questions share are written only once.
std::string to_text(const LearnedModel& model);
LearnedModel read_model(const std::filesystem::path& file);

/// The training examples in the form that learners use, with the run that each comes from.
AskedLesson known_kernels(const DataSet& data);

}  // namespace apmt::learned
