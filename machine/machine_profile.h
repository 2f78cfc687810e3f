// The figures of a machine: latency and bandwidth of its memory, its cores, its network. They are
// measured by apmt calibrate or written by hand; configs/machines has examples.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apmt {

/// A median, and the interquartile range relative to it.
struct Figure {
  double value = 0;
  double spread = 0;
};

struct MemoryLevel {
  std::string name = {};         // "L1", "L2", "LLC", "memory"; "remote 20": memory at distance 20
  std::uint64_t size_bytes = 0;  // 0: not a cache
  std::optional<Figure> latency_ns = {};
  std::optional<Figure> bandwidth_bytes_per_s = {};  // of one core that reads
  std::optional<double> knee_bytes = {};  // size at which the latency curve leaves this level
  /// L1 and L2 share the core's clock: their latency is constant in cycles, not in ns.
  bool is_core_clocked() const { return name == "L1" || name == "L2"; }
};

/// A message of n bytes takes the time alpha + beta n. This holds from n = from_bytes up to the
/// beginning of the next piece.
struct HockneyPiece {
  double from_bytes = 0;
  double alpha_s = 0;
  double beta_s_per_byte = 0;
  double worst_error = 0;  // relative, over the measured sizes of the piece
};

struct CollectiveTime {
  std::string op;
  int procs = 0;
  double bytes = 0;
  Figure time_s;
};

struct Network {
  std::string scope = {};  // "node": within a node; "network": between nodes
  std::vector<std::pair<double, Figure>> times_s = {};  // bytes; half the time of a round trip
  std::vector<HockneyPiece> pieces = {};
  std::optional<Figure> overlap = {};  // share of a transfer that can overlap with computation
};

struct MachineProfile {
  std::string name;
  std::string provenance;  // "measured", "assumed", "virtual"
  std::string source;      // documents, or the program that measured it
  std::string cpu;
  int cores = 0;                       // usable when the machine was measured
  std::optional<Figure> frequency_hz;  // of one core under load
  std::optional<Figure> clock_ns;      // cost of reading CLOCK_MONOTONIC
  std::optional<Figure> signal_ns;     // cost of a signal with an empty handler
  std::vector<MemoryLevel> levels;
  std::vector<std::pair<double, double>> latency_curve;  // bytes, ns
  /// Number of cores that compute a = b + s*c at the same time, and their total bandwidth in
  /// bytes/s, with each array counted once.
  std::vector<std::pair<int, Figure>> bandwidth_by_cores;
  std::string mpi;
  std::vector<Network> networks;
  std::vector<CollectiveTime> collectives;

  const MemoryLevel* level(const std::string& wanted) const;
  const Network* network(const std::string& scope) const;
  /// The latency if the cores had another frequency; absent when it is not known.
  std::optional<double> latency_ns_at(const std::string& level, double frequency_hz) const;
};

MachineProfile read_machine_profile(const std::filesystem::path& file);
std::string to_yaml(const MachineProfile& profile);
std::string render_machine_text(const MachineProfile& profile);

}  // namespace apmt
