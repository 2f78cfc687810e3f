// What communication costs on the machine of the runs, from a machine profile (apmt calibrate). The
// fit expects these costs before it sees any time of the program.
#pragma once

#include <filesystem>
#include <optional>

#include "fitter/laws/time_law.h"
#include "fitter/runs/experiment.h"
#include "fitter/runs/light_calls.h"

namespace apmt {

struct NetworkCosts {
  std::optional<double> in_node_s;  // of a small message
  std::optional<double> between_nodes_s;
  LightCallsOf collectives;

  /// The cost of a message if the share `between` of all messages goes to another node. Absent if a
  /// cost that it depends on was not measured.
  std::optional<Feature::Expected> message(double between) const;
};

/// Reads a machine profile. Throws InputError if the file is not one.
NetworkCosts read_network_costs(const std::filesystem::path& machine);

/// The share of the program's messages that go to another node, over all runs.
double share_between_nodes(const Experiment& experiment);

}  // namespace apmt
