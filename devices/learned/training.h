// A classifier as it is made in practice: features chosen, parameters tuned, probabilities
// calibrated, all on the lesson alone.
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

  Answer answer(const Row& x) const;  // x with all features
  Row probabilities(const Answer& answer) const;
};

/// Features are added in the order of their weights and kept as many as tell best, which is found
/// by leaving groups of the lesson out; the forest has them all. Throws InputError for one class.
Trained train(const Lesson& lesson, const TrainOptions& options);

}  // namespace apmt::learned
