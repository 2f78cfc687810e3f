// The analytical answer of `apmt match` beside the learned one, and why they disagree.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/learned/advice.h"
#include "devices/match.h"

namespace apmt::learned {

/// What the learned probability would be if one feature had its median in the training data.
struct FeatureEffect {
  std::string feature;
  double here = 0;
  double typical = 0;
  double probability = 0;
};

struct Disagreement {
  double threshold = 1;               // the lowest about which the answers differ
  double probability = 0;             // the learned one, of a speed-up above it
  std::vector<FeatureEffect> causes;  // that alone move it furthest towards the analytical answer

  /// Which answer is the speed-up: the learned one, or that of match?
  bool is_above() const { return probability >= 0.5; }
};

struct DeviceComparison {
  std::string device;
  double speed_up = 1;       // analytical, over the reference
  bool is_compared = false;  // false: there is no learned answer
  std::optional<Disagreement> disagreement = {};
};

struct Comparison {
  std::string why_not = {};                        // there is no analytical answer
  std::optional<devices::KernelMatch> match = {};  // on the devices that have a card
  std::vector<std::string> without_card = {};
  std::string why_no_speed_ups = {};  // the reference has no time
  std::vector<DeviceComparison> devices = {};

  /// Nothing if the device has no time.
  const devices::DevicePrediction* prediction(const std::string& device) const;
};

/// Cards by the names that the model gives to their devices.
using Cards = std::map<std::string, devices::Device>;

/// Answers agree about a threshold if the analytical speed-up is above it exactly where the
/// probability is at least one half.
Comparison compare(const LearnedModel& model, const AskedKernel& kernel, const Advice& advice,
                   const Cards& cards);

Json to_json(const Comparison& comparison);

}  // namespace apmt::learned
