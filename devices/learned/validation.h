// Scores of predictions for kernels outside the training data.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "devices/learned/calibration.h"
#include "devices/learned/question.h"
#include "devices/learned/splits.h"
#include "devices/learned/training.h"

namespace apmt::learned {

struct ScoreLine {
  std::string question;
  std::string split;
  std::string method;   // name of a learner or a baseline
  std::string unknown;  // why there are no scores; empty if there are scores
  int runs = 0;
  int groups = 0;
  int leaks = 0;  // runs whose features also occur in the training data
  // Scores of predicted classes.
  std::optional<double> accuracy = {};
  Interval interval = {};
  std::optional<double> majority = {};      // accuracy of always predicting the largest class
  std::optional<double> slow_down = {};     // time on the predicted device / on the best one
  std::optional<double> brier = {};         // Brier score of the probabilities
  std::optional<double> base_brier = {};    // Brier score of the share of each class
  std::vector<CalibrationBin> calibration;  // for questions about a speed-up
  // For times: absolute errors relative to the measured time.
  std::optional<double> mean_error = {};
  std::optional<double> median_error = {};

  /// Whether the method's probabilities are better than the base rate.
  bool is_worth_saying() const { return brier && base_brier && *brier < *base_brier; }
};

struct ValidationOptions {
  std::vector<LearnerKind> learners;
  std::vector<Split> splits;
  std::uint64_t seed = 1;
  int trees = 100;
  bool baselines = true;
  std::function<void(std::size_t done, std::size_t all)> on_progress = {};
};

/// A line for every split, question and method, sorted in this order.
std::vector<ScoreLine> validate(const DataSet& data, const std::vector<Question>& questions,
                                const ValidationOptions& options);

Json to_json(const std::vector<ScoreLine>& lines);

}  // namespace apmt::learned
