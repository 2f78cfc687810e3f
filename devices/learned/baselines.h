// Simple predictions that a classifier has to beat.
#pragma once

#include <optional>
#include <vector>

#include "devices/learned/question.h"

namespace apmt::learned {

enum class Baseline { kMajority, kBestOnAverage, kBandwidth };
inline constexpr const char* kBaselineNames[] = {"majority", "best-mean", "bandwidth"};

/// The class that a baseline predicts for every kernel; nothing if bandwidths are not known.
/// `taught` has the indices of the training examples. The baseline "best on average" predicts the
/// device with the lowest geometric mean of times, with the same weight for every application. The
/// baseline "bandwidth" uses the ratio of bandwidths as the speed-up.
std::optional<int> baseline_class(const DataSet& data, const AskedLesson& asked,
                                  const std::vector<std::size_t>& taught, const Question& question,
                                  Baseline baseline);

/// The share of each class in the training examples.
Row class_shares(const Lesson& lesson, const std::vector<std::size_t>& taught);

/// The mean over the applications (groups) of the mean of their values.
double mean_of_groups(const Row& values, const std::vector<std::string>& groups);

}  // namespace apmt::learned
