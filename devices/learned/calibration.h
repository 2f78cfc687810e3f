// Converts margins of classifiers to probabilities, and compares probabilities with outcomes.
#pragma once

#include <vector>

#include "devices/learned/learner.h"

namespace apmt::learned {

/// Platt's sigmoid, which converts a margin to a probability. The probability never falls as the
/// margin grows.
struct Sigmoid {
  double slope = 0;
  double offset = 0;
  double at(double margin) const;
};
Sigmoid fit_sigmoid(const Row& margins, const std::vector<bool>& is_class);

/// The probability of each class, from the class's sigmoid. The probabilities are scaled so that
/// they add up to one. With two classes, only the sigmoid of the second class is used.
Row probabilities(const Row& margins, const std::vector<Sigmoid>& calibration);

struct Interval {
  double low = 0;
  double high = 1;
};
/// Wilson's 95 % confidence interval of a share.
Interval binomial_interval(double share, double count);

/// The predictions whose probability lies in one fifth of the range 0..1: their mean probability,
/// and how often the predicted event happened.
struct CalibrationBin {
  int count = 0;
  double predicted = 0;  // mean probability
  double observed = 0;   // share whose event happened
};
std::vector<CalibrationBin> calibration_of(const Row& predicted, const std::vector<bool>& happened);

}  // namespace apmt::learned
