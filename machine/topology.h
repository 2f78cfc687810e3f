// The processors, caches and memory nodes of a machine that this process may use, as hwloc finds
// them, and the binding of threads and memory to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct hwloc_topology;

namespace apmt {

struct Cache {
  std::string name;  // "L1", "L2"; "LLC": the last of three or more
  std::uint64_t size_bytes = 0;
  std::uint64_t line_bytes = 64;
};

/// Where a measurement runs and where its memory lies.
struct Place {
  std::optional<int> cpu;
  std::optional<int> node;
};

struct RemotePlace {
  int distance = 0;  // 10 for the processor's own node, as in numactl --hardware
  Place place;
};

class Topology {
 public:
  /// This machine; its topology is read once.
  static const Topology& here();
  /// Another machine, in the format of `lstopo --of xml`.
  explicit Topology(const std::string& xml);
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// The data caches of a processor, the smallest first; empty if unknown.
  std::vector<Cache> caches(int cpu) const;
  /// For each distance from `cpu` at which there are other memory nodes, one place with this `cpu`
  /// and one such node, sorted by distance.
  std::vector<RemotePlace> remote_places(int cpu) const;
  /// The memory node of a processor; none if unknown.
  std::optional<int> node_of(int cpu) const;
  /// From now on, pages of the block are allocated on this node only (when they are first touched).
  /// Returns false if the kernel refuses.
  bool bind_memory(void* begin, std::uint64_t bytes, int node) const;
  /// The processors to which this thread is bound; empty if unknown.
  std::vector<int> bound_cpus() const;
  /// Binds this thread to these processors. Returns false if the kernel refuses.
  bool bind_cpus(const std::vector<int>& cpus) const;

 private:
  Topology();
  hwloc_topology* topology_ = nullptr;
};

/// Processors that this thread may use.
std::vector<int> usable_cpus();

/// The data caches of the first processor that this thread may use.
std::vector<Cache> caches_here();

/// Binds this thread to one processor until the end of the scope.
class OnCpu {
 public:
  explicit OnCpu(std::optional<int> cpu);
  ~OnCpu();
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace apmt
