#include "refine/memory_costs.h"

#include "machine/machine_profile.h"

namespace apmt {
namespace {

std::optional<double> latency_s(const MachineProfile& profile, const char* name) {
  const MemoryLevel* level = profile.level(name);
  if (level == nullptr || !level->latency_ns) return std::nullopt;
  return level->latency_ns->value * 1e-9;
}

}  // namespace

MemoryCosts read_memory_costs(const std::filesystem::path& machine) {
  const MachineProfile profile = read_machine_profile(machine);
  MemoryCosts costs;
  costs.llc_s = latency_s(profile, "LLC");
  costs.memory_s = latency_s(profile, "memory");
  if (!profile.frequency_hz) return costs;
  costs.frequency_hz = profile.frequency_hz->value;
  if (const auto l1_s = latency_s(profile, "L1")) costs.l1_cycles = *l1_s * *costs.frequency_hz;
  if (const auto l2_s = latency_s(profile, "L2")) costs.l2_cycles = *l2_s * *costs.frequency_hz;
  return costs;
}

}  // namespace apmt
