// What memory accesses and communication cost on the machine of the runs, from a machine profile
// (apmt calibrate).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fitter/laws/time_law.h"
#include "fitter/runs/experiment.h"
#include "fitter/runs/passes.h"
#include "machine/machine_profile.h"

namespace apmt {

/// Sizes of a machine's caches; ranks on a node share the last level.
struct CacheSizes {
  std::string source = {};  // for readers: "L1 48 KiB, L2 1024 KiB, LLC 36864 KiB"
  double l1_bytes = 0;
  double l2_bytes = 0;
  double llc_bytes = 0;
  bool are_known() const { return l1_bytes > 0 && l2_bytes > 0 && llc_bytes > 0; }
};

/// Costs of memory accesses: latencies (the cost if nothing hides an access) and the bandwidth.
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
  /// between the measured numbers of cores, and stays the same beyond. Absent if not measured.
  std::optional<double> s_per_byte(int busy_cores) const;
};

/// Hockney's model of messages between two processes, by size. Empty: not measured.
struct Link {
  std::vector<HockneyPiece> pieces = {};  // by increasing size
  bool is_known() const { return latency_s() > 0; }
  /// Seconds of a small message; 0: not known.
  double latency_s() const { return pieces.empty() ? 0 : pieces.front().alpha_s; }
  /// Seconds per byte of messages of this size; 0: not known.
  double s_per_byte(double bytes) const;
};
/// `scope`: "node" or "network".
Link link_of(const MachineProfile& profile, const std::string& scope);

/// Costs of messages and collectives, which the fit expects before it sees any time of the program.
struct NetworkCosts {
  Link in_node;
  Link between_nodes;
  LightCallsOf collectives;

  /// What a message and a byte cost if the share `between` of all messages goes to another node,
  /// and messages have `bytes` in the mean. Absent if a cost that it depends on was not measured.
  std::optional<Feature::Expected> message(double between) const;
  std::optional<Feature::Expected> byte(double between, double bytes) const;
};

/// Both read a machine profile, and throw InputError if the file is not one.
MemoryCosts read_memory_costs(const std::filesystem::path& machine);
NetworkCosts read_network_costs(const std::filesystem::path& machine);

/// The messages that the program sends, over all runs.
struct SentMessages {
  double between_nodes = 0;  // share of those that go to another node
  double mean_bytes = 0;
};
SentMessages sent_messages(const Experiment& experiment);

/// The share of a row's calls that reach another node. For calls with peers on both sides, a half:
/// their rows do not say how many messages went where.
double share_between_nodes(const MpiRow& row);

}  // namespace apmt
