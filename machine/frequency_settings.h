// The kernel's files for core frequencies, and which of them have changed.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace apmt {

/// A file and its content.
using FrequencySetting = std::pair<std::filesystem::path, std::string>;

inline constexpr const char* kIntelPercentFile = "sys/devices/system/cpu/intel_pstate/max_perf_pct";

/// The folders of the kernel's policies (groups of cores that share a frequency), in order.
std::vector<std::filesystem::path> frequency_policies(const std::filesystem::path& root);

/// All settings that exist: governor, speed and limits of each policy, and intel_pstate's limit.
std::vector<FrequencySetting> read_frequency_settings(const std::filesystem::path& root);

/// One sentence for each setting that has changed.
std::vector<std::string> changed_settings(const std::vector<FrequencySetting>& before);

}  // namespace apmt
