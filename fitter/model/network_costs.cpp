#include "fitter/model/network_costs.h"

#include <cmath>

#include "fitter/runs/passes.h"
#include "machine/machine_profile.h"

namespace apmt {
namespace {

// The standard deviation of ln of a program's message time, if it is known only from a benchmark.
// A program's messages may well take twice as long as those of a benchmark that only sends
// messages, or half as long if several are in flight.
const double kLnSoftware = std::log(2.0);

Link link_of(const MachineProfile& profile, const char* scope) {
  const Network* network = profile.network(scope);
  Link link;
  if (network != nullptr) link.pieces = network->pieces;
  return link.is_known() ? link : Link();
}

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

}  // namespace

double Link::s_per_byte(double bytes) const {
  double beta = pieces.front().beta_s_per_byte;
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
      if (row.peer == "nobody" || row.peer == "none")
        continue;  // no message, or to an unknown place
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
