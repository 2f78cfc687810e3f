// Advice about a kernel that has not been ported to any device yet.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/learned/learned_model.h"
#include "kernels/analysis.h"

namespace apmt::learned {

/// A kernel with its measured features.
struct AskedKernel {
  std::string title;
  std::vector<std::optional<double>> features;           // one for each definition in the model
  std::optional<kernels::KernelAnalysis> analysis = {};  // absent: only features were in the file
};

/// Reads the kernels of a data set, the features of a single kernel (docs/learned.md), or the
/// kernels of an analysis. If `name` is not empty, only the kernel of this name is read. Throws
/// InputError if the definitions of the features are not those of the model, or if there is no such
/// kernel.
std::vector<AskedKernel> read_kernels(const std::filesystem::path& file,
                                      const FeatureDefinitions& definitions,
                                      const std::string& name = {});

struct SpeedUpAdvice {
  std::string device;
  double threshold = 1;
  std::optional<double> probability = {};  // absent: the model gives no answer
  std::string abstains = {};               // why it gives no answer
};

struct FeatureDifference {
  std::string feature;
  double here = 0;
  double there = 0;
  double deviations = 0;  // difference in standard deviations of the training data
};

struct NearKernel {
  std::string title;
  double distance = 0;
  std::map<std::string, double> speed_ups;     // by device
  std::vector<FeatureDifference> differences;  // the largest first
};

struct Advice {
  std::string kernel;
  std::string reference;
  bool is_outside = false;
  double distance = 0;
  double limit = 0;
  std::vector<SpeedUpAdvice> speed_ups;  // empty if the kernel is outside the training data
  std::vector<NearKernel> nearest;
};

/// Throws InputError if the value of a feature is missing.
Advice advise(const LearnedModel& model, const AskedKernel& kernel);

Json to_json(const Advice& advice);

}  // namespace apmt::learned
