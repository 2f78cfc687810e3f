// What is asked to be other than where the program was profiled: its network, its cores, its
// memory. Values only; what_if_effect.h says what they do to a model's laws.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

enum class Knob { kLatency, kBandwidth, kFrequency, kMemoryLatency };

/// For people: "latency", "memory latency".
const char* words(Knob knob);
/// Of its values: "s", "byte/s", "Hz".
const char* unit(Knob knob);
/// "2 us", "12.5 GB/s", "2.6 GHz".
std::string format_value(Knob knob, double value);

/// One knob turned: to a value, or by a factor of what it was.
struct KnobChange {
  enum class Kind { kValue, kFactor };
  Kind kind = Kind::kFactor;
  double amount = 1;  // seconds, bytes/s, Hz; or the factor
  /// Asked for by name: where the model cannot tell its effect, that is an error and no warning.
  bool asked = true;
};

/// "x0.5", or a number with its unit: "2us", "12.5GB/s", "100Gbit/s", "2.6GHz". `where` is the
/// option, for the error.
KnobChange parse_change(Knob knob, const std::string& text, const std::string& where);

struct WhatIf {
  std::optional<KnobChange> latency;         // of a message
  std::optional<KnobChange> bandwidth;       // of messages
  std::optional<KnobChange> frequency;       // of the cores
  std::optional<KnobChange> memory_latency;  // beyond the core's clock
  std::optional<int> cores_per_node;
  /// Of the machine of the runs, when it was calibrated: tells latency from volume where the runs
  /// cannot.
  std::optional<double> profiled_latency_s;
  std::optional<double> profiled_bandwidth_bytes_per_s;
  /// Where changes that nobody named come from: "machine profile hpc.yaml"; empty: nowhere.
  std::string source;

  /// What could not be taken from the profiles, in sentences.
  std::vector<std::string> warnings = {};

  const std::optional<KnobChange>& of(Knob knob) const;
  bool any() const { return latency || bandwidth || frequency || memory_latency || cores_per_node; }
};

/// The figures of a machine profile that a prediction can use.
struct MachineFigures {
  struct Network {
    double latency_s = 0;              // of small messages
    double bandwidth_bytes_per_s = 0;  // of large ones; 0: unknown
  };
  std::string name;
  int cores_per_node = 0;  // 0: unknown
  std::optional<Network> in_node;
  std::optional<Network> between_nodes;
  std::optional<double> frequency_hz;
  std::optional<double> memory_latency_s;
};

MachineFigures read_machine_figures(const std::filesystem::path& file);

/// Fills what `what_if` leaves open from the machine where `procs` processes are to run. With
/// `profiled_on`, the machine of the runs, figures that both profiles have become factors, and so
/// do values given by name.
WhatIf on_machine(WhatIf what_if, int procs, const std::optional<MachineFigures>& target,
                  const std::optional<MachineFigures>& profiled_on);

}  // namespace apmt
