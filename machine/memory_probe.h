// Measures the latency and bandwidth of each level of memory.
#pragma once

#include <functional>
#include <vector>

#include "machine/machine_profile.h"
#include "machine/repeat.h"
#include "machine/topology.h"

namespace apmt {

/// The time in ns of a load that waits for the load before it. There is one load for each cache
/// line of a block of `bytes` bytes, in random order.
Figure chase_ns(std::uint64_t bytes, std::uint64_t line_bytes, const Patience& patience,
                const Place& place = {});

/// Bytes per second that one core reads when it reads the same `bytes` bytes repeatedly.
Figure read_bytes_per_s(std::uint64_t bytes, const Patience& patience, const Place& place = {});

/// Reads the bytes `passes` times, with the widest vectors; `bytes` is a multiple of 256.
std::uint64_t read_memory(const char* begin, std::uint64_t bytes, std::uint64_t passes);

/// Computes a = b + s*c on `cores` cores at once, each with its own arrays; all arrays together
/// have `bytes_of_all`. Returns the bytes/s of all cores, with each array counted once, as in
/// STREAM.
Figure stream_bytes_per_s(int cores, std::uint64_t bytes_of_all, const Patience& patience);

struct MemoryProbe {
  std::vector<MemoryLevel> levels;
  std::vector<std::pair<double, double>> curve;
  std::vector<std::pair<int, Figure>> bandwidth_by_cores;
};

/// The levels and cores to measure.
struct MemoryLayout {
  std::vector<Cache> caches;
  std::vector<int> cpus;            // processors to use; the first gives the figures of one core
  std::vector<RemotePlace> remote;  // other memory nodes
};

/// Measures everything. Calls `on_progress` with (done, total) after each step.
MemoryProbe probe_memory(const MemoryLayout& layout,
                         const std::function<void(std::size_t, std::size_t)>& on_progress = {});

/// The size at which a latency curve goes from one level of memory to the next: the size where the
/// latency is halfway between those of the two levels, on a logarithmic scale. Absent if there is
/// no such size.
std::optional<double> find_knee(const std::vector<std::pair<double, double>>& curve,
                                double inner_ns, double outer_ns);

}  // namespace apmt
