// The advice about a kernel that was not ported yet.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/learned/learned_model.h"

namespace apmt::learned {

/// A kernel with its measured features.
struct AskedKernel {
  std::string title;
  std::vector<std::optional<double>> features;  // as in the model's definitions
};

/// Reads the kernels of a data set, or the one of an analysis (docs/learned.md). Throws InputError
/// where the features have other definitions than the model's.
std::vector<AskedKernel> read_kernels(const std::filesystem::path& file,
                                      const FeatureDefinitions& definitions);

struct SpeedUpAdvice {
  std::string device;
  double threshold = 1;
  std::optional<double> probability = {};  // absent: abstains
  std::string abstains = {};               // why
};

struct FeatureDifference {
  std::string feature;
  double here = 0;
  double there = 0;
  double deviations = 0;  // in standard deviations of what is learned from
};

struct NearKernel {
  std::string title;
  double distance = 0;
  std::map<std::string, double> speed_ups;     // device
  std::vector<FeatureDifference> differences;  // the largest first
};

struct Advice {
  std::string kernel;
  std::string reference;
  bool is_outside = false;
  double distance = 0;
  double limit = 0;
  std::vector<SpeedUpAdvice> speed_ups;  // empty where it is outside
  std::vector<NearKernel> nearest;
};

/// Throws InputError if the value of a feature is missing.
Advice advise(const LearnedModel& model, const AskedKernel& kernel);

Json to_json(const Advice& advice);

}  // namespace apmt::learned
