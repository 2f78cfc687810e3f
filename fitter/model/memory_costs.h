// The costs of memory accesses, from a machine profile: latencies (the cost if nothing hides an
// access) and the bandwidth.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

/// Sizes of a machine's caches; ranks on a node share the last level.
struct CacheSizes {
  std::string source = {};  // for readers: "L1 48 KiB, L2 1024 KiB, LLC 36864 KiB"
  double l1_bytes = 0;
  double l2_bytes = 0;
  double llc_bytes = 0;
  bool are_known() const { return l1_bytes > 0 && l2_bytes > 0 && llc_bytes > 0; }
};

struct MemoryCosts {
  /// For readers: "machine profile node.yaml". Empty: nothing was measured.
  std::string source;
  // The next two costs are constant in core cycles.
  std::optional<double> l1_cycles;
  std::optional<double> l2_cycles;
  // The next two costs are constant in seconds.
  std::optional<double> llc_s;
  std::optional<double> memory_s;
  /// Frequency of a core under load; used for runs whose frequency was not measured.
  std::optional<double> frequency_hz;
  /// Bytes per second of main memory by number of busy cores on a node, in increasing order.
  std::vector<std::pair<int, double>> bandwidth;
  CacheSizes caches = {};

  /// Seconds per byte for one core if this many cores are busy on the node. The bandwidth is linear
  /// between the measured numbers of cores, and stays the same beyond the last. Absent if no
  /// bandwidth was measured.
  std::optional<double> s_per_byte(int busy_cores) const;
};

/// Reads a machine profile (apmt calibrate). Throws InputError if the file is not one.
MemoryCosts read_memory_costs(const std::filesystem::path& machine);

}  // namespace apmt
