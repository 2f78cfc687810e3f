// The figures of a machine: latency and bandwidth of its memory, its cores, its network. Measured
// by apmt calibrate or written by hand; configs/machines holds examples.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apmt {

/// A median, and the distance of the quartiles relative to it.
struct Figure {
  double value = 0;
  double spread = 0;
};

struct MemoryLevel {
  std::string name = {};  // "L1", "L2", "LLC", "memory", "remote 20" of a node at that distance
  std::uint64_t size_bytes = 0;  // 0: memory
  std::optional<Figure> latency_ns = {};
  std::optional<Figure> bandwidth_bytes_per_s = {};  // one core, reading
  std::optional<double> knee_bytes = {};             // where the measured curve leaves this level
  /// L1 and L2 run with the core: their latency is constant in cycles, not in ns.
  bool is_core_clocked() const { return name == "L1" || name == "L2"; }
};

/// T(n) = alpha + beta n for messages of from_bytes and more, until the next piece begins.
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
  std::string scope = {};  // "node" within a node, "network" between nodes
  std::vector<std::pair<double, Figure>> times_s = {};  // half a round trip by bytes
  std::vector<HockneyPiece> pieces = {};
  std::optional<Figure> overlap = {};  // share of a transfer's time that computation can hide
};

struct MachineProfile {
  std::string name;
  std::string provenance;  // "measured", "assumed", "virtual"
  std::string source;      // documents, or what measured it
  std::string cpu;
  int cores = 0;                       // that were usable
  std::optional<Figure> frequency_hz;  // of one core under load
  std::optional<Figure> clock_ns;      // reading CLOCK_MONOTONIC
  std::optional<Figure> signal_ns;     // a signal with an empty handler
  std::vector<MemoryLevel> levels;
  std::vector<std::pair<double, double>> latency_curve;  // bytes, ns
  /// Copying with this many cores at once, all arrays counted once: bytes/s.
  std::vector<std::pair<int, Figure>> bandwidth_by_cores;
  std::string mpi;
  std::vector<Network> networks;
  std::vector<CollectiveTime> collectives;

  const MemoryLevel* level(const std::string& wanted) const;
  const Network* network(const std::string& scope) const;
  /// Latency at another core frequency; absent when it is not known.
  std::optional<double> latency_ns_at(const std::string& level, double frequency_hz) const;
};

MachineProfile read_machine_profile(const std::filesystem::path& file);
std::string to_yaml(const MachineProfile& profile);
std::string render_machine_text(const MachineProfile& profile);

}  // namespace apmt
