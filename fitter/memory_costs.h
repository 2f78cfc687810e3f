// What accesses to memory cost when nothing hides them, from a machine profile.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

struct MemoryCosts {
  /// "machine profile node.yaml"; empty: nothing was measured.
  std::string source;
  // Constant in core cycles.
  std::optional<double> l1_cycles;
  std::optional<double> l2_cycles;
  // Constant in seconds.
  std::optional<double> llc_s;
  std::optional<double> memory_s;
  /// Of one core under load: for runs whose frequency was not measured.
  std::optional<double> frequency_hz;
  /// Bytes per second of main memory with so many cores of a node at once, by rising number.
  std::vector<std::pair<int, double>> bandwidth;

  /// Seconds a byte takes one of so many busy cores: linear between the measured numbers, beyond
  /// the last as the full node. Absent where no bandwidth was measured.
  std::optional<double> s_per_byte(int busy_cores) const;
};

/// Of a machine profile (apmt calibrate). Throws InputError when the file is none.
MemoryCosts read_memory_costs(const std::filesystem::path& machine);

}  // namespace apmt
