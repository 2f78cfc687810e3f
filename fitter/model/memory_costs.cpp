#include "fitter/model/memory_costs.h"

#include <algorithm>

#include "machine/machine_profile.h"

namespace apmt {
namespace {

std::optional<double> latency_s(const MachineProfile& profile, const char* name) {
  const MemoryLevel* level = profile.level(name);
  if (level == nullptr || !level->latency_ns) return std::nullopt;
  return level->latency_ns->value * 1e-9;
}

/// The data size at which latency was measured to rise; if it was not measured, the size of the
/// cache. The measured size may be smaller, because other virtual machines on the node use a part
/// of the cache.
double size_bytes(const MachineProfile& profile, const char* name) {
  const MemoryLevel* level = profile.level(name);
  if (level == nullptr) return 0;
  return level->knee_bytes.value_or(static_cast<double>(level->size_bytes));
}

CacheSizes cache_sizes(const MachineProfile& profile) {
  CacheSizes sizes;
  for (const auto& [name, bytes] :
       {std::pair{"L1", &sizes.l1_bytes}, std::pair{"L2", &sizes.l2_bytes},
        std::pair{"LLC", &sizes.llc_bytes}}) {
    *bytes = size_bytes(profile, name);
    sizes.source += (sizes.source.empty() ? "" : ", ") + std::string(name) + ' ' +
                    std::to_string(static_cast<long long>(*bytes) / 1024) + " KiB";
  }
  return sizes;
}

/// Bytes per second of all cores together, by number of cores. If it was not measured for several
/// numbers of cores, the list has only the value for one core.
std::vector<std::pair<int, double>> bandwidth_of(const MachineProfile& profile) {
  std::vector<std::pair<int, double>> curve;
  for (const auto& [cores, figure] : profile.bandwidth_by_cores)
    if (cores > 0 && figure.value > 0) curve.emplace_back(cores, figure.value);
  const MemoryLevel* memory = profile.level("memory");
  if (curve.empty() && memory != nullptr && memory->bandwidth_bytes_per_s)
    curve.emplace_back(1, memory->bandwidth_bytes_per_s->value);
  std::sort(curve.begin(), curve.end());
  return curve;
}

}  // namespace

std::optional<double> MemoryCosts::s_per_byte(int busy_cores) const {
  if (bandwidth.empty()) return std::nullopt;
  const double cores = std::max(1, busy_cores);
  const auto above = std::find_if(bandwidth.begin(), bandwidth.end(),
                                  [&](const auto& at) { return at.first >= cores; });
  if (above == bandwidth.end()) return cores / bandwidth.back().second;
  if (above == bandwidth.begin()) return above->first / above->second;
  const auto& [low, slow] = *std::prev(above);
  const auto& [high, fast] = *above;
  return cores / (slow + (fast - slow) * (cores - low) / (high - low));
}

MemoryCosts read_memory_costs(const std::filesystem::path& machine) {
  const MachineProfile profile = read_machine_profile(machine);
  MemoryCosts costs;
  costs.source =
      "machine profile " + (profile.name.empty() ? machine.filename().string() : profile.name);
  costs.llc_s = latency_s(profile, "LLC");
  costs.memory_s = latency_s(profile, "memory");
  costs.bandwidth = bandwidth_of(profile);
  costs.caches = cache_sizes(profile);
  if (!profile.frequency_hz) return costs;
  costs.frequency_hz = profile.frequency_hz->value;
  if (const auto l1_s = latency_s(profile, "L1")) costs.l1_cycles = *l1_s * *costs.frequency_hz;
  if (const auto l2_s = latency_s(profile, "L2")) costs.l2_cycles = *l2_s * *costs.frequency_hz;
  return costs;
}

}  // namespace apmt
