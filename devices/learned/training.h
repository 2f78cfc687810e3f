// Trains a classifier as a user would: chooses features, tunes parameters and calibrates
// probabilities, all with the training data alone.
#pragma once

#include <memory>
#include <vector>

#include "devices/learned/calibration.h"
#include "devices/learned/learner.h"

namespace apmt::learned {

struct TrainOptions {
  LearnerKind kind = LearnerKind::kForest;
  std::uint64_t seed = 1;
  int trees = 100;
  ForestBank* bank = nullptr;
};

struct Trained {
  std::vector<std::size_t> features;
  std::shared_ptr<const Classifier> classifier;
  std::vector<Sigmoid> calibration;  // of each class

  Answer answer(const Row& x) const;  // x has all features
  Row probabilities(const Answer& answer) const;
};

/// Trains a learner. Features are added one by one, in order of decreasing mutual information with
/// the class. The number of features that predicts best is found by cross-validation, which leaves
/// out groups of the training data. The forest always uses all features. Throws InputError if there
/// is only one class.
Trained train(const Lesson& lesson, const TrainOptions& options);

}  // namespace apmt::learned
