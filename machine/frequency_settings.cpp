#include "machine/frequency_settings.h"

#include <algorithm>

#include "machine/small_file.h"

namespace apmt {

namespace fs = std::filesystem;

std::vector<fs::path> frequency_policies(const fs::path& root) {
  std::vector<fs::path> policies;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu/cpufreq", none))
    if (entry.path().filename().string().starts_with("policy")) policies.push_back(entry.path());
  std::sort(policies.begin(), policies.end());
  return policies;
}

std::vector<FrequencySetting> read_frequency_settings(const fs::path& root) {
  std::vector<fs::path> files = {root / kIntelPercentFile};
  for (const fs::path& policy : frequency_policies(root))
    for (const char* name :
         {"scaling_governor", "scaling_setspeed", "scaling_min_freq", "scaling_max_freq"})
      files.push_back(policy / name);
  std::vector<FrequencySetting> settings;
  for (const fs::path& file : files)
    if (auto text = read_small_file(file)) settings.push_back({file, std::move(*text)});
  return settings;
}

std::vector<std::string> changed_settings(const std::vector<FrequencySetting>& before) {
  std::vector<std::string> changed;
  for (const auto& [file, text] : before) {
    const std::string now = read_small_file(file).value_or("unreadable");
    if (now != text)
      changed.push_back(file.string() + " is " + now + " and was " + text + " before");
  }
  return changed;
}

}  // namespace apmt
