#include "fitter/model/machine_costs.h"

#include <algorithm>
#include <cmath>

#include "fitter/runs/passes.h"

namespace apmt {
namespace {

// The standard deviation of ln of a program's message time. Its messages may take twice as long as
// those of a benchmark, or half as long if several are in flight.
const double kLnSoftware = std::log(2.0);

/// The mean of a cost over messages of which the share `between` goes to another node.
template <typename Cost>
std::optional<Feature::Expected> mean_cost(const NetworkCosts& network, double between,
                                           const Cost& cost_of) {
  double cost = 0;
  for (const auto& [share, link] :
       {std::pair(1 - between, &network.in_node), std::pair(between, &network.between_nodes)}) {
    if (share <= 0) continue;
    if (!link->is_known()) return std::nullopt;
    cost += share * cost_of(*link);
  }
  if (!(cost > 0)) return std::nullopt;
  return Feature::Expected{cost, kLnSoftware};
}

std::optional<double> latency_s(const MachineProfile& profile, const char* name) {
  const MemoryLevel* level = profile.level(name);
  if (level == nullptr || !level->latency_ns) return std::nullopt;
  return level->latency_ns->value * 1e-9;
}

/// The data size at which latency was measured to rise (less than the cache if other virtual
/// machines on the node use a part of it); if it was not measured, the size of the cache.
double size_bytes(const MachineProfile& profile, const char* name) {
  const MemoryLevel* level = profile.level(name);
  if (level == nullptr) return 0;
  return level->knee_bytes.value_or(static_cast<double>(level->size_bytes));
}

CacheSizes cache_sizes(const MachineProfile& profile) {
  CacheSizes sizes;
  for (const auto& [name, bytes] :
       {std::pair{"L1", &sizes.l1_bytes}, std::pair{"L2", &sizes.l2_bytes},
        std::pair{"LLC", &sizes.llc_bytes}}) {
    *bytes = size_bytes(profile, name);
    sizes.source += (sizes.source.empty() ? "" : ", ") + std::string(name) + ' ' +
                    std::to_string(static_cast<long long>(*bytes) / 1024) + " KiB";
  }
  return sizes;
}

/// MemoryCosts::bandwidth; only for one core if it was not measured for several.
std::vector<std::pair<int, double>> bandwidth_of(const MachineProfile& profile) {
  std::vector<std::pair<int, double>> curve;
  for (const auto& [cores, figure] : profile.bandwidth_by_cores)
    if (cores > 0 && figure.value > 0) curve.emplace_back(cores, figure.value);
  const MemoryLevel* memory = profile.level("memory");
  if (curve.empty() && memory != nullptr && memory->bandwidth_bytes_per_s)
    curve.emplace_back(1, memory->bandwidth_bytes_per_s->value);
  std::sort(curve.begin(), curve.end());
  return curve;
}

}  // namespace

std::optional<double> MemoryCosts::s_per_byte(int busy_cores) const {
  if (bandwidth.empty()) return std::nullopt;
  const double cores = std::max(1, busy_cores);
  const auto above = std::find_if(bandwidth.begin(), bandwidth.end(),
                                  [&](const auto& at) { return at.first >= cores; });
  if (above == bandwidth.end()) return cores / bandwidth.back().second;
  if (above == bandwidth.begin()) return above->first / above->second;
  const auto& [low, slow] = *std::prev(above);
  const auto& [high, fast] = *above;
  return cores / (slow + (fast - slow) * (cores - low) / (high - low));
}

MemoryCosts read_memory_costs(const std::filesystem::path& machine) {
  const MachineProfile profile = read_machine_profile(machine);
  MemoryCosts costs;
  costs.source =
      "machine profile " + (profile.name.empty() ? machine.filename().string() : profile.name);
  costs.llc_s = latency_s(profile, "LLC");
  costs.memory_s = latency_s(profile, "memory");
  costs.bandwidth = bandwidth_of(profile);
  costs.caches = cache_sizes(profile);
  if (!profile.frequency_hz) return costs;
  costs.frequency_hz = profile.frequency_hz->value;
  if (const auto l1_s = latency_s(profile, "L1")) costs.l1_cycles = *l1_s * *costs.frequency_hz;
  if (const auto l2_s = latency_s(profile, "L2")) costs.l2_cycles = *l2_s * *costs.frequency_hz;
  return costs;
}

Link link_of(const MachineProfile& profile, const std::string& scope) {
  const Network* network = profile.network(scope);
  return network == nullptr ? Link{} : Link{network->pieces};
}

double Link::s_per_byte(double bytes) const {
  double beta = pieces.empty() ? 0 : pieces.front().beta_s_per_byte;
  for (const HockneyPiece& piece : pieces)
    if (piece.from_bytes <= bytes) beta = piece.beta_s_per_byte;
  return beta;
}

std::optional<Feature::Expected> NetworkCosts::message(double between) const {
  return mean_cost(*this, between, [](const Link& link) { return link.latency_s(); });
}

std::optional<Feature::Expected> NetworkCosts::byte(double between, double bytes) const {
  return mean_cost(*this, between, [bytes](const Link& link) { return link.s_per_byte(bytes); });
}

NetworkCosts read_network_costs(const std::filesystem::path& machine) {
  const MachineProfile profile = read_machine_profile(machine);
  NetworkCosts costs;
  if (profile.provenance == "assumed") return costs;
  costs.in_node = link_of(profile, "node");
  costs.between_nodes = link_of(profile, "network");
  for (const CollectiveTime& one : profile.collectives)
    if (one.procs > 1 && one.bytes < kMostLightBytes && one.time_s.value > 0)
      costs.collectives["MPI_" + one.op].push_back(
          {static_cast<double>(one.procs), 1, one.time_s.value, kLnSoftware});
  return costs;
}

SentMessages sent_messages(const Experiment& e) {
  double between = 0;
  double all = 0;
  double bytes = 0;
  for (const RunProfile& run : e.runs)
    for (const MpiRow& row : run.mpi) {
      if (row.op_class != "p2p" || !operation_has(row.op, "send")) continue;
      if (row.peer == "nobody" || row.peer == "none") continue;  // no message, or somewhere unknown
      all += static_cast<double>(row.calls);
      between += share_between_nodes(row) * static_cast<double>(row.calls);
      bytes += static_cast<double>(row.bytes_sent);
    }
  if (!(all > 0)) return {};
  return {between / all, bytes / all};
}

double share_between_nodes(const MpiRow& row) {
  return row.peer == "other-node" ? 1 : row.peer == "mixed" ? 0.5 : 0;
}

}  // namespace apmt
