// A simulated cluster (SimGrid's SMPI): its description, and how to run a program on
// it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

/// A message between two nodes takes the time that `pieces` gives, unless another message uses a
/// link of either node; a message within a node always takes the time that `within_node` gives.
struct VirtualCluster {
  std::string name;  // the file's, without directory and ending
  std::string title;
  std::vector<HockneyPiece> pieces;
  int ranks_per_node = 1;
  std::optional<HockneyPiece> within_node;  // there when ranks share nodes
  double relative_speed = 1;  // of a node: 2 halves the time that computation takes here
  /// False: only the work that a program passes to smpi_execute_flops() takes time. For exact
  /// tests.
  bool simulate_computation = true;
  std::map<std::string, std::string> collectives;  // algorithm by operation, the same at every P
};

/// Reads a cluster's file or a machine profile with a network, or the one of this name that comes
/// with apmt (configs/clusters, configs/machines); "archer2@16": with 16 ranks a node. SMPI has one
/// set of pieces, not one for each kind of message. Where ranks share nodes, each kind is therefore
/// one line: the latency of its smallest messages and the bandwidth of its largest. Throws
/// InputError.
VirtualCluster read_virtual_cluster(const std::string& file_or_name,
                                    const std::filesystem::path& configs);

/// The words of a launch line for `procs` nodes of the cluster; the program's path is appended to
/// them. Writes the platform and host files that they name into `folder`, which is created.
std::vector<std::string> virtual_launcher(const VirtualCluster& cluster, int procs,
                                          const std::filesystem::path& folder);

/// The same with a program and its arguments appended; throws InputError when it was not built with
/// SMPI.
std::vector<std::string> virtual_launch(const VirtualCluster& cluster, int procs,
                                        const std::filesystem::path& folder,
                                        const std::vector<std::string>& command);

}  // namespace apmt
