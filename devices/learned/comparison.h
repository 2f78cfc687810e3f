// Compares the analytical answer of `apmt match` with the learned one, and shows why they disagree.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/learned/advice.h"
#include "devices/match.h"

namespace apmt::learned {

/// What the learned probability would be if one feature were replaced by its median in the training
/// data.
struct FeatureEffect {
  std::string feature;
  double here = 0;
  double typical = 0;
  double probability = 0;
};

struct Disagreement {
  double threshold = 1;    // the lowest threshold about which the answers differ
  double probability = 0;  // learned probability of a speed-up above the threshold
  /// The features that move the probability furthest towards the analytical answer if each of them
  /// alone is replaced by its median.
  std::vector<FeatureEffect> causes;

  /// Whether the learned answer is a speed-up above the threshold; the analytical answer is the
  /// opposite.
  bool is_above() const { return probability >= 0.5; }
};

struct DeviceComparison {
  std::string device;
  double speed_up = 1;       // analytical, over the reference
  bool is_compared = false;  // false: there is no learned answer
  std::optional<Disagreement> disagreement = {};
};

struct Comparison {
  std::string why_not = {};                        // why there is no analytical answer
  std::optional<devices::KernelMatch> match = {};  // on the devices that have a card
  std::vector<std::string> without_card = {};
  std::string why_no_speed_ups = {};  // why the reference has no time
  std::vector<DeviceComparison> devices = {};

  /// The analytical prediction for a device; nullptr if it has no time.
  const devices::DevicePrediction* prediction(const std::string& device) const;
};

/// Cards by the names that the model gives to their devices.
using Cards = std::map<std::string, devices::Device>;

/// Compares the answers. They agree about a threshold if the analytical speed-up is above it and
/// the learned probability is at least one half, or if neither is the case.
Comparison compare(const LearnedModel& model, const AskedKernel& kernel, const Advice& advice,
                   const Cards& cards);

Json to_json(const Comparison& comparison);

}  // namespace apmt::learned
