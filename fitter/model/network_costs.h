// What communication costs on the machine of the runs, from a machine profile (apmt calibrate). The
// fit expects these costs before it sees any time of the program.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "fitter/laws/time_law.h"
#include "fitter/runs/experiment.h"
#include "fitter/runs/light_calls.h"
#include "machine/machine_profile.h"

namespace apmt {

/// Hockney's model of messages between two processes, by size. Empty: not measured.
struct Link {
  std::vector<HockneyPiece> pieces = {};  // by increasing size
  bool is_known() const { return !pieces.empty() && pieces.front().alpha_s > 0; }
  /// Seconds of a small message.
  double latency_s() const { return pieces.front().alpha_s; }
  /// Seconds per byte of messages of this size.
  double s_per_byte(double bytes) const;
};

struct NetworkCosts {
  Link in_node;
  Link between_nodes;
  LightCallsOf collectives;

  /// What a message and a byte cost if the share `between` of all messages goes to another node,
  /// and messages have `bytes` in the mean. Absent if a cost that it depends on was not measured.
  std::optional<Feature::Expected> message(double between) const;
  std::optional<Feature::Expected> byte(double between, double bytes) const;
};

/// Reads a machine profile. Throws InputError if the file is not one.
NetworkCosts read_network_costs(const std::filesystem::path& machine);

/// The messages that the program sends, over all runs.
struct SentMessages {
  double between_nodes = 0;  // share of those that go to another node
  double mean_bytes = 0;
};
SentMessages sent_messages(const Experiment& experiment);

/// The share of a row's calls that reach another node. For calls with peers on both sides, a half:
/// their rows do not say how many messages went where.
double share_between_nodes(const MpiRow& row);

}  // namespace apmt
