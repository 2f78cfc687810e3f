#include <algorithm>

#include "fitter/model/memory_costs.h"
#include "fitter/prediction/what_if.h"
#include "machine/machine_profile.h"

namespace apmt {
namespace {

std::optional<MachineFigures::Network> network_figures(const MachineProfile& profile,
                                                       const std::string& scope) {
  const Network* network = profile.network(scope);
  if (network == nullptr || network->pieces.empty()) return std::nullopt;
  MachineFigures::Network figures;
  figures.latency_s = network->pieces.front().alpha_s;
  const double beta = network->pieces.back().beta_s_per_byte;
  if (beta > 0) figures.bandwidth_bytes_per_s = 1 / beta;
  return figures;
}

bool is_one_node(const MachineFigures& machine, int procs) {
  return machine.cores_per_node > 0 && procs <= machine.cores_per_node;
}

/// The network between `procs` processes: within a node or between nodes. Absent if not in the
/// profile.
std::optional<MachineFigures::Network> network_for(const MachineFigures& machine, int procs) {
  return is_one_node(machine, procs) ? machine.in_node : machine.between_nodes;
}

std::optional<double> memory_bandwidth_per_process(const MachineFigures& machine, int procs) {
  MemoryCosts costs;
  costs.bandwidth = machine.memory_bandwidth;
  const int cores = machine.cores_per_node;
  const int busy = cores > 0 ? std::min(procs, cores) : procs;
  const bool is_of_one_core = !costs.bandwidth.empty() && costs.bandwidth.back().first == 1;
  if (is_of_one_core && busy > 1) return std::nullopt;  // the bandwidth of several cores is unknown
  const std::optional<double> s_per_byte = costs.s_per_byte(busy);
  return s_per_byte ? std::optional<double>(1 / *s_per_byte) : std::nullopt;
}

std::optional<double> figure(const MachineFigures& machine, Knob knob, int procs) {
  const std::optional<MachineFigures::Network> network = network_for(machine, procs);
  const auto positive = [](double x) { return x > 0 ? std::optional<double>(x) : std::nullopt; };
  switch (knob) {
    case Knob::kLatency:
      return network ? positive(network->latency_s) : std::nullopt;
    case Knob::kBandwidth:
      return network ? positive(network->bandwidth_bytes_per_s) : std::nullopt;
    case Knob::kFrequency:
      return machine.frequency_hz;
    case Knob::kMemoryLatency:
      return machine.memory_latency_s;
    case Knob::kMemoryBandwidth:
      break;
  }
  return memory_bandwidth_per_process(machine, procs);
}

}  // namespace

MachineFigures read_machine_figures(const std::filesystem::path& file) {
  const MachineProfile profile = read_machine_profile(file);
  MachineFigures figures;
  figures.name = profile.name.empty() ? file.filename().string() : profile.name;
  figures.cores_per_node = profile.cores;
  figures.in_node = network_figures(profile, "node");
  figures.between_nodes = network_figures(profile, "network");
  if (profile.frequency_hz) figures.frequency_hz = profile.frequency_hz->value;
  const MemoryLevel* memory = profile.level("memory");
  if (memory != nullptr && memory->latency_ns)
    figures.memory_latency_s = 1e-9 * memory->latency_ns->value;
  figures.memory_bandwidth = read_memory_costs(file).bandwidth;
  return figures;
}

WhatIf on_machine(WhatIf what_if, int procs, const std::optional<MachineFigures>& target,
                  const std::optional<MachineFigures>& profiled_on) {
  MachineFigures there = target.value_or(MachineFigures{});
  if (what_if.cores_per_node) there.cores_per_node = *what_if.cores_per_node;
  if (profiled_on) {
    what_if.profiled_latency_s = figure(*profiled_on, Knob::kLatency, procs);
    what_if.profiled_bandwidth_bytes_per_s = figure(*profiled_on, Knob::kBandwidth, procs);
  }
  if (target) what_if.source = "machine profile " + target->name;
  for (const Knob knob : kKnobs) {
    std::optional<KnobChange>& change = what_if.of(knob);
    if (!change)
      if (const std::optional<double> value = figure(there, knob, procs))
        change = KnobChange{KnobChange::Kind::kValue, *value, false};
    if (!change || change->kind == KnobChange::Kind::kFactor || !profiled_on) continue;
    if (const std::optional<double> before = figure(*profiled_on, knob, procs))
      change = KnobChange{KnobChange::Kind::kFactor, change->amount / *before, change->asked};
  }
  const auto is_a_value = [](const std::optional<KnobChange>& change) {
    return change && change->kind == KnobChange::Kind::kValue;
  };
  if (profiled_on && !network_for(*profiled_on, procs) &&
      (is_a_value(what_if.of(Knob::kLatency)) || is_a_value(what_if.of(Knob::kBandwidth))))
    what_if.warnings.push_back(
        "the profile of the machine of the runs, " + profiled_on->name + ", has no network " +
        (is_one_node(*profiled_on, procs) ? "inside a node" : "between nodes") +
        ": latency and bandwidth are compared with the fitted cost of messages instead");
  if (!what_if.cores_per_node && there.cores_per_node > 0)
    what_if.cores_per_node = there.cores_per_node;
  return what_if;
}

}  // namespace apmt
