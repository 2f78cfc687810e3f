#include "machine/numa.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/cpu_list.h"
#include "machine/small_file.h"

namespace apmt {
namespace {

void use_cpus(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

bool contains(const std::vector<int>& list, int wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

/// Nodes that a container or a batch system lets this process have memory of; absent: all.
std::optional<std::vector<int>> allowed_nodes(const std::filesystem::path& root) {
  std::ifstream status(root / "proc/self/status");
  const std::string key = "Mems_allowed_list:";
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key, 0) == 0) return parse_cpu_list(line.substr(key.size()));
  return std::nullopt;
}

}  // namespace

std::vector<NumaNode> read_numa_nodes(const std::filesystem::path& root) {
  const std::filesystem::path folder = root / "sys/devices/system/node";
  const std::vector<int> online = parse_cpu_list(read_small_file(folder / "online").value_or(""));
  const std::vector<int> with_memory =
      parse_cpu_list(read_small_file(folder / "has_memory").value_or(""));
  const std::optional<std::vector<int>> allowed = allowed_nodes(root);
  std::vector<NumaNode> nodes;
  for (const int id : online) {
    const std::filesystem::path at = folder / ("node" + std::to_string(id));
    NumaNode node;
    node.id = id;
    node.cpus = parse_cpu_list(read_small_file(at / "cpulist").value_or(""));
    node.has_memory = contains(with_memory, id) && (!allowed || contains(*allowed, id));
    std::istringstream distances(read_small_file(at / "distance").value_or(""));
    for (const int to : online)
      if (int distance = 0; distances >> distance) node.distances[to] = distance;
    nodes.push_back(node);
  }
  return nodes;
}

std::vector<RemotePlace> remote_places(const std::vector<NumaNode>& nodes,
                                       const std::vector<int>& usable) {
  std::map<int, Place> by_distance;
  for (const NumaNode& home : nodes) {
    if (usable.empty() || !contains(home.cpus, usable.front())) continue;
    for (const NumaNode& other : nodes) {
      const auto distance = home.distances.find(other.id);
      if (other.id == home.id || !other.has_memory || distance == home.distances.end()) continue;
      by_distance.insert({distance->second, {usable.front(), other.id}});
    }
  }
  std::vector<RemotePlace> places;
  for (const auto& [distance, place] : by_distance) places.push_back({distance, place});
  return places;
}

std::vector<int> usable_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

OnCpu::OnCpu(std::optional<int> cpu) {
  if (!cpu) return;
  before_ = usable_cpus();
  use_cpus({*cpu});
}

OnCpu::~OnCpu() {
  if (!before_.empty()) use_cpus(before_);
}

bool bind_memory(void* begin, std::uint64_t bytes, int node) {
  constexpr int kBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(static_cast<std::size_t>(node / kBits) + 1, 0);
  mask[static_cast<std::size_t>(node / kBits)] = 1UL << (node % kBits);
  return ::syscall(SYS_mbind, begin, bytes, MPOL_BIND, mask.data(), mask.size() * kBits + 1, 0) ==
         0;
}

}  // namespace apmt
