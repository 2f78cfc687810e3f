// Nodes of memory, as the kernel tells, and putting threads and memory on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

struct NumaNode {
  int id = 0;
  std::vector<int> cpus;
  bool has_memory = false;       // that this process may use
  std::map<int, int> distances;  // to each node, 10 being itself, as numactl --hardware prints
};

/// Empty when the kernel does not tell.
std::vector<NumaNode> read_numa_nodes(const std::filesystem::path& root = "/");

/// Where a measurement runs and where its memory lies.
struct Place {
  std::optional<int> cpu;
  std::optional<int> node;
};

struct RemotePlace {
  int distance = 0;
  Place place;
};

/// One place for each distance at which other nodes have memory, from the first of `usable_cpus`;
/// the nearest first.
std::vector<RemotePlace> remote_places(const std::vector<NumaNode>& nodes,
                                       const std::vector<int>& usable_cpus);

/// Processors that this thread may use.
std::vector<int> usable_cpus();

/// This thread on one processor, until the end of the scope.
class OnCpu {
 public:
  explicit OnCpu(std::optional<int> cpu);
  ~OnCpu();
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;

 private:
  std::vector<int> before_;
};

/// Memory that was not touched yet will come from this node only; false when the kernel refuses.
bool bind_memory(void* begin, std::uint64_t bytes, int node);

}  // namespace apmt
