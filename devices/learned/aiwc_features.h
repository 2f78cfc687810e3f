// Turns the AIWC metrics in an analysis into features. docs/learned.md lists the versions of the
// features' definitions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "devices/learned/data_set.h"
#include "kernels/analysis.h"

namespace apmt::learned {

/// The name of the definitions of features that are computed from analyses. The constants below are
/// the versions of these definitions.
inline constexpr const char* kAiwcName = "aiwc";
/// For OpenCL kernels; the metrics have the faults of the tool that the published data were made
/// with.
inline constexpr const char* kAiwcPublished = "published-2018";
inline constexpr const char* kAiwcOpencl = "apmt-opencl-1";
inline constexpr const char* kAiwcNative = "apmt-native-1";

/// The values of the features that `definitions` lists, in their order; a feature is absent if its
/// metric has no value. Throws InputError if the metrics are of another version, were not collected
/// or are not complete, or if a feature is not a metric of AIWC. `file` is named in messages.
std::vector<std::optional<double>> aiwc_features(const kernels::KernelAnalysis& kernel,
                                                 const FeatureDefinitions& definitions,
                                                 const std::filesystem::path& file);

}  // namespace apmt::learned
