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

std::optional<double> small_message_s(const MachineProfile& profile, const char* scope) {
  const Network* network = profile.network(scope);
  if (network == nullptr || network->pieces.empty() || !(network->pieces.front().alpha_s > 0))
    return std::nullopt;
  return network->pieces.front().alpha_s;
}

}  // namespace

std::optional<Feature::Expected> NetworkCosts::message(double between) const {
  double cost_s = 0;
  for (const auto& [share, measured_s] :
       {std::pair(1 - between, in_node_s), std::pair(between, between_nodes_s)}) {
    if (share <= 0) continue;
    if (!measured_s) return std::nullopt;
    cost_s += share * *measured_s;
  }
  return Feature::Expected{cost_s, kLnSoftware};
}

NetworkCosts read_network_costs(const std::filesystem::path& machine) {
  const MachineProfile profile = read_machine_profile(machine);
  NetworkCosts costs;
  if (profile.provenance == "assumed") return costs;
  costs.in_node_s = small_message_s(profile, "node");
  costs.between_nodes_s = small_message_s(profile, "network");
  for (const CollectiveTime& one : profile.collectives)
    if (one.procs > 1 && one.bytes < kMostLightBytes && one.time_s.value > 0)
      costs.collectives["MPI_" + one.op].push_back(
          {static_cast<double>(one.procs), 1, one.time_s.value, kLnSoftware});
  return costs;
}

double share_between_nodes(const Experiment& e) {
  double between = 0;
  double all = 0;
  for (const RunProfile& run : e.runs)
    for (const MpiRow& row : run.mpi) {
      if (row.op_class != "p2p" || !operation_has(row.op, "send")) continue;
      if (row.peer == "nobody" || row.peer == "none")
        continue;  // no message, or to an unknown place
      // Rows of mixed calls do not say how many messages went where.
      const double share = row.peer == "other-node" ? 1 : row.peer == "mixed" ? 0.5 : 0;
      all += static_cast<double>(row.calls);
      between += share * static_cast<double>(row.calls);
    }
  return all > 0 ? between / all : 0;
}

}  // namespace apmt
