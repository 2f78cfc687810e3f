#include "machine/memory_probe.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// The number of bytes with which main memory is measured: far more than fit into the last-level
/// cache, but few enough for a login node.
std::uint64_t memory_bytes(const std::vector<Cache>& caches) {
  const std::uint64_t last = caches.empty() ? 32 * kMiB : caches.back().size_bytes;
  return std::clamp(4 * last, 64 * kMiB, 1024 * kMiB);
}

/// The number of bytes with which a cache is measured. They must fit into this cache but not into
/// the next smaller one. The number is kept small, because a last-level cache that is shared with
/// other virtual machines has less room than the kernel reports.
std::uint64_t size_within(const std::vector<Cache>& caches, std::size_t level) {
  const std::uint64_t most = caches[level].size_bytes * 3 / 4;
  return level == 0 ? caches[0].size_bytes / 2 : std::min(3 * caches[level - 1].size_bytes, most);
}

std::vector<std::uint64_t> curve_sizes(std::uint64_t largest) {
  std::vector<std::uint64_t> sizes;
  for (double size = 4096; size <= static_cast<double>(largest) * 1.01; size *= std::sqrt(2.0))
    sizes.push_back(static_cast<std::uint64_t>(size) / 256 * 256);
  return sizes;
}

}  // namespace

std::optional<double> find_knee(const std::vector<std::pair<double, double>>& curve,
                                double inner_ns, double outer_ns) {
  if (!(outer_ns > 1.1 * inner_ns)) return std::nullopt;
  const double halfway = std::sqrt(inner_ns * outer_ns);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const auto& [size, ns] = curve[i];
    const auto& [size_before, ns_before] = curve[i - 1];
    if (ns < halfway || ns_before >= halfway) continue;
    const double share = std::log(halfway / ns_before) / std::log(ns / ns_before);
    return size_before * std::pow(size / size_before, share);
  }
  return std::nullopt;
}

MemoryProbe probe_memory(const MemoryLayout& layout,
                         const std::function<void(std::size_t, std::size_t)>& on_progress) {
  const std::vector<Cache>& caches = layout.caches;
  const int cores = std::max(1, static_cast<int>(layout.cpus.size()));
  const Place home{layout.cpus.empty() ? std::nullopt : std::optional<int>(layout.cpus.front()),
                   {}};
  const Patience quick{0.03, 3, 5, 0.3};
  const Patience thorough{0.02, 5, 30, 2.0};
  const std::uint64_t line = caches.empty() ? 64 : caches.front().line_bytes;
  const std::uint64_t beyond = memory_bytes(caches);
  const std::vector<std::uint64_t> sizes = curve_sizes(beyond);
  std::vector<int> core_counts;
  for (int n = 1; n < cores; n *= 2) core_counts.push_back(n);
  core_counts.push_back(cores);

  const std::size_t total =
      sizes.size() + 2 * (caches.size() + 1 + layout.remote.size()) + core_counts.size();
  std::size_t done = 0;
  const auto step = [&] {
    if (on_progress) on_progress(++done, total);
  };
  MemoryProbe probe;
  for (const std::uint64_t size : sizes) {
    probe.curve.push_back({static_cast<double>(size), chase_ns(size, line, quick, home).value});
    step();
  }
  const auto measure = [&](MemoryLevel level, std::uint64_t bytes, const Place& place) {
    level.latency_ns = chase_ns(bytes, line, thorough, place);
    step();
    level.bandwidth_bytes_per_s = read_bytes_per_s(bytes, thorough, place);
    step();
    probe.levels.push_back(level);
  };
  for (std::size_t i = 0; i < caches.size(); ++i)
    measure({.name = caches[i].name, .size_bytes = caches[i].size_bytes}, size_within(caches, i),
            home);
  measure({.name = "memory"}, beyond, home);
  for (std::size_t i = 0; i + 1 < probe.levels.size(); ++i)
    probe.levels[i].knee_bytes = find_knee(probe.curve, probe.levels[i].latency_ns->value,
                                           probe.levels[i + 1].latency_ns->value);
  for (const RemotePlace& remote : layout.remote)
    measure({.name = "remote " + std::to_string(remote.distance)}, beyond, remote.place);
  for (const int n : core_counts) {
    probe.bandwidth_by_cores.push_back({n, stream_bytes_per_s(n, beyond * 3 / 2, thorough)});
    step();
  }
  return probe;
}

}  // namespace apmt
