#include "devices/prediction.h"

#include <algorithm>
#include <array>
#include <utility>

namespace apmt::devices {

std::string DeviceTime::bottleneck() const {
  const std::array<std::pair<double, const char*>, 7> parts = {
      {{computation_s, "computation"},
       {fast_memory_s.value_or(0), "fast memory"},
       {slow_memory_s.value_or(0), "slow memory"},
       {latency_s.value_or(0), "latency"},
       {synchronisation_s.value_or(0), "synchronisation"},
       {launch_s.value_or(0), "launches"},
       {transfer_s.value_or(0), "transfers"}}};
  // If several parts are equally large, this returns the first of them.
  return std::max_element(parts.begin(), parts.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

std::string Needs::words() const {
  std::string list;
  for (std::size_t i = 0; i < missing_.size(); ++i)
    list += (i == 0 ? "" : i + 1 == missing_.size() ? " and " : ", ") + missing_[i];
  return "the card of " + device_ + " has no " + list;
}

}  // namespace apmt::devices
