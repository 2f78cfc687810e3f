// The cost of memory accesses that nothing hides, from a machine profile.
#pragma once

#include <filesystem>
#include <optional>

namespace apmt {

struct MemoryCosts {
  // Constant in core cycles.
  std::optional<double> l1_cycles;
  std::optional<double> l2_cycles;
  // Constant in seconds.
  std::optional<double> llc_s;
  std::optional<double> memory_s;
  /// Of one core under load: for runs whose frequency was not measured.
  std::optional<double> frequency_hz;
};

/// Of a machine profile (apmt calibrate). Throws InputError when the file is none.
MemoryCosts read_memory_costs(const std::filesystem::path& machine);

}  // namespace apmt
