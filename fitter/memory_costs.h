// The costs of accesses to memory when nothing hides them, from a machine profile.
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
  /// Frequency of one core under load: for runs whose frequency was not measured.
  std::optional<double> frequency_hz;
  /// Bytes per second of main memory with this many busy cores of a node, in increasing order.
  std::vector<std::pair<int, double>> bandwidth;

  /// Seconds per byte for one of this many busy cores: linear between the measured numbers; beyond
  /// the last, that of the full node. Absent if no bandwidth was measured.
  std::optional<double> s_per_byte(int busy_cores) const;
};

/// Reads a machine profile (apmt calibrate). Throws InputError if the file is not one.
MemoryCosts read_memory_costs(const std::filesystem::path& machine);

}  // namespace apmt
