#include "machine/topology.h"

#include <hwloc.h>
#include <hwloc/distances.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>

#include "base/input_error.h"

namespace apmt {
namespace {

hwloc_topology* fresh() {
  hwloc_topology* topology = nullptr;
  if (::hwloc_topology_init(&topology) != 0) throw std::bad_alloc();
  return topology;
}

/// Latencies between memory nodes, as the firmware gives them; empty if it gives none.
class NodeDistances {
 public:
  explicit NodeDistances(hwloc_topology* topology) : topology_(topology) {
    unsigned count = 1;
    if (::hwloc_distances_get_by_name(topology, "NUMALatency", &count, &matrix_, 0) != 0 ||
        count == 0)
      matrix_ = nullptr;
  }
  ~NodeDistances() {
    if (matrix_ != nullptr) ::hwloc_distances_release(topology_, matrix_);
  }
  NodeDistances(const NodeDistances&) = delete;
  NodeDistances& operator=(const NodeDistances&) = delete;

  std::optional<int> between(hwloc_obj_t from, hwloc_obj_t to) const {
    hwloc_uint64_t there = 0, back = 0;
    if (matrix_ == nullptr ||
        ::hwloc_distances_obj_pair_values(matrix_, from, to, &there, &back) != 0)
      return std::nullopt;
    return static_cast<int>(there);
  }

 private:
  hwloc_topology* topology_;
  hwloc_distances_s* matrix_ = nullptr;
};

hwloc_obj_t home_of(hwloc_topology* topology, int cpu) {
  const hwloc_obj_t unit = ::hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(cpu));
  if (unit == nullptr || unit->nodeset == nullptr) return nullptr;
  const int first = ::hwloc_bitmap_first(unit->nodeset);
  return first < 0 ? nullptr
                   : ::hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(first));
}

using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&::hwloc_bitmap_free)>;

Bitmap empty_bitmap() {
  Bitmap bitmap(::hwloc_bitmap_alloc(), &::hwloc_bitmap_free);
  if (bitmap == nullptr) throw std::bad_alloc();
  return bitmap;
}

}  // namespace

Topology::Topology() : topology_(fresh()) {
  // Some batch systems describe this machine in a file that HWLOC_XMLFILE names. Without
  // HWLOC_THISSYSTEM, hwloc assumes that the file describes another machine; it then binds no
  // thread, and reports no error.
  const bool is_set = std::getenv("HWLOC_THISSYSTEM") != nullptr;
  if (!is_set) ::setenv("HWLOC_THISSYSTEM", "1", 1);
  const bool is_loaded = ::hwloc_topology_load(topology_) == 0;
  if (!is_set) ::unsetenv("HWLOC_THISSYSTEM");
  if (is_loaded) return;
  // If hwloc cannot read the topology, all answers are empty.
  ::hwloc_topology_destroy(topology_);
  topology_ = nullptr;
}

Topology::Topology(const std::string& xml) : topology_(fresh()) {
  if (::hwloc_topology_set_xmlbuffer(topology_, xml.c_str(), static_cast<int>(xml.size()) + 1) !=
          0 ||
      ::hwloc_topology_load(topology_) != 0) {
    ::hwloc_topology_destroy(topology_);
    throw InputError("", "hwloc cannot read this topology", "lstopo --of xml prints one");
  }
}

Topology::~Topology() {
  if (topology_ != nullptr) ::hwloc_topology_destroy(topology_);
}

const Topology& Topology::here() {
  static const Topology machine;
  return machine;
}

std::vector<Cache> Topology::caches(int cpu) const {
  std::vector<Cache> caches;
  if (topology_ == nullptr) return caches;
  hwloc_obj_t object = ::hwloc_get_pu_obj_by_os_index(topology_, static_cast<unsigned>(cpu));
  for (; object != nullptr; object = object->parent) {
    if (!::hwloc_obj_type_is_dcache(object->type) || object->attr->cache.size == 0) continue;
    Cache cache;
    cache.name = "L" + std::to_string(object->attr->cache.depth);
    cache.size_bytes = object->attr->cache.size;
    if (object->attr->cache.linesize > 0) cache.line_bytes = object->attr->cache.linesize;
    // The model has three levels: levels between the second and the last are left out.
    if (caches.size() == 3) caches.pop_back();
    caches.push_back(cache);
  }
  if (caches.size() == 3) caches.back().name = "LLC";
  return caches;
}

std::optional<int> Topology::node_of(int cpu) const {
  const hwloc_obj_t home = topology_ == nullptr ? nullptr : home_of(topology_, cpu);
  return home == nullptr ? std::nullopt : std::optional<int>(static_cast<int>(home->os_index));
}

std::vector<RemotePlace> Topology::remote_places(int cpu) const {
  const hwloc_obj_t home = topology_ == nullptr ? nullptr : home_of(topology_, cpu);
  if (home == nullptr) return {};
  const NodeDistances distances(topology_);
  std::map<int, Place> by_distance;
  for (hwloc_obj_t node = nullptr;
       (node = ::hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (node == home || node->attr->numanode.local_memory == 0) continue;
    if (const auto distance = distances.between(home, node))
      by_distance.insert({*distance, {cpu, static_cast<int>(node->os_index)}});
  }
  std::vector<RemotePlace> places;
  for (const auto& [distance, place] : by_distance) places.push_back({distance, place});
  return places;
}

bool Topology::bind_memory(void* begin, std::uint64_t bytes, int node) const {
  if (topology_ == nullptr || node < 0) return false;
  const Bitmap nodes = empty_bitmap();
  ::hwloc_bitmap_only(nodes.get(), static_cast<unsigned>(node));
  return ::hwloc_set_area_membind(topology_, begin, bytes, nodes.get(), HWLOC_MEMBIND_BIND,
                                  HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT) == 0;
}

std::vector<int> Topology::bound_cpus() const {
  std::vector<int> cpus;
  const Bitmap set = empty_bitmap();
  if (topology_ == nullptr || ::hwloc_get_cpubind(topology_, set.get(), HWLOC_CPUBIND_THREAD) != 0)
    return cpus;
  for (int cpu = -1; (cpu = ::hwloc_bitmap_next(set.get(), cpu)) >= 0;) cpus.push_back(cpu);
  return cpus;
}

bool Topology::bind_cpus(const std::vector<int>& cpus) const {
  const Bitmap set = empty_bitmap();
  for (const int cpu : cpus) ::hwloc_bitmap_set(set.get(), static_cast<unsigned>(cpu));
  return topology_ != nullptr &&
         ::hwloc_set_cpubind(topology_, set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

std::vector<int> usable_cpus() { return Topology::here().bound_cpus(); }

std::vector<Cache> caches_here() {
  const std::vector<int> cpus = usable_cpus();
  return cpus.empty() ? std::vector<Cache>{} : Topology::here().caches(cpus.front());
}

OnCpu::OnCpu(std::optional<int> cpu) {
  if (!cpu) return;
  before_ = usable_cpus();
  Topology::here().bind_cpus({*cpu});
}

OnCpu::~OnCpu() {
  if (!before_.empty()) Topology::here().bind_cpus(before_);
}

}  // namespace apmt
