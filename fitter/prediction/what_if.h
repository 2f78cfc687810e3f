// A what-if: network, cores or memory that differ from the profiled machine. These are only the
// values; what_if_effect.h calculates their effect on a model's laws.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fitter/model/machine_costs.h"

namespace apmt {

/// A figure of the machine that a what-if can change: latency and bandwidth of messages, frequency
/// of the cores, latency of memory beyond the core's clock (docs/glossary.md), bandwidth of main
/// memory for each process.
enum class Knob { kLatency, kBandwidth, kFrequency, kMemoryLatency, kMemoryBandwidth };
inline constexpr std::array kKnobs = {Knob::kLatency, Knob::kBandwidth, Knob::kFrequency,
                                      Knob::kMemoryLatency, Knob::kMemoryBandwidth};

/// The name of a knob in sentences: "latency", "memory latency".
const char* words(Knob knob);
/// The unit of a knob's values: "s", "byte/s", "Hz".
const char* unit(Knob knob);
/// Whether a larger value makes programs faster.
bool is_rate(Knob knob);
/// "2 us", "12.5 GB/s", "2.6 GHz".
std::string format_value(Knob knob, double value);

/// A change of one figure: to a new value, or by a factor.
struct KnobChange {
  enum class Kind { kValue, kFactor };
  Kind kind = Kind::kFactor;
  double amount = 1;  // seconds, bytes/s, Hz; or the factor
  bool asked = true;  // by the user; otherwise the change comes from a machine profile
};

/// "x0.5", or a number with its unit: "2us", "12.5GB/s", "100Gbit/s", "2.6GHz". `where` is the
/// option, for the error.
KnobChange parse_change(Knob knob, const std::string& text, const std::string& where);

struct WhatIf {
  std::array<std::optional<KnobChange>, kKnobs.size()> changes;
  std::optional<int> cores_per_node;
  /// Latency and bandwidth of the machine of the runs, if it was calibrated. They separate the cost
  /// of messages from that of bytes if the runs cannot.
  std::optional<double> profiled_latency_s;
  std::optional<double> profiled_bandwidth_bytes_per_s;
  /// The source of changes that the user did not request: "machine profile hpc.yaml"; or empty.
  std::string source;

  /// A sentence for each figure that is missing in the machine profiles.
  std::vector<std::string> warnings = {};

  std::optional<KnobChange>& of(Knob knob) { return changes.at(static_cast<std::size_t>(knob)); }
  const std::optional<KnobChange>& of(Knob knob) const {
    return changes.at(static_cast<std::size_t>(knob));
  }
  bool any() const {
    return cores_per_node ||
           std::ranges::any_of(changes, [](const auto& c) { return c.has_value(); });
  }
};

/// The figures of a machine profile that a prediction can use.
struct MachineFigures {
  std::string name;
  int cores_per_node = 0;  // 0: unknown
  Link in_node;
  Link between_nodes;
  MemoryCosts memory;
};

MachineFigures read_machine_figures(const std::filesystem::path& file);

/// Fills in what `what_if` leaves open with the figures of `target`, the machine on which `procs`
/// processes will run. `profiled_on` is the machine of the runs. If both machines have a value of a
/// figure, the change becomes a factor: the ratio of the two values. The user's own values become
/// factors in the same way.
WhatIf on_machine(WhatIf what_if, int procs, const std::optional<MachineFigures>& target,
                  const std::optional<MachineFigures>& profiled_on);

}  // namespace apmt
