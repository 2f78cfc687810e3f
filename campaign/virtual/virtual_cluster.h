// A cluster that only SimGrid's SMPI knows: its description, and what it takes to run a program on
// it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

/// A message between two nodes takes what `pieces` say, as long as nobody else of either node
/// sends; one within a node what `within_node` says, whoever else does.
struct VirtualCluster {
  std::string name;  // the file's, without directory and ending
  std::string title;
  std::vector<HockneyPiece> pieces;
  int ranks_per_node = 1;
  std::optional<HockneyPiece> within_node;  // there when ranks share nodes
  double relative_speed = 1;  // of a node: 2 halves the time that computation takes here
  /// False: only what a program plants by smpi_execute_flops() takes time. For exact tests.
  bool simulate_computation = true;
  std::map<std::string, std::string> collectives;  // algorithm by operation, the same at every P
};

/// A cluster's file or a machine profile with a network, or the name of one that comes with apmt
/// (configs/clusters, configs/machines); "archer2@16": with 16 ranks a node. SMPI knows one set of
/// pieces, not one for each kind of message: where ranks share nodes each kind is one line, with
/// the latency of its smallest messages and the bandwidth of its largest. Throws InputError.
VirtualCluster read_virtual_cluster(const std::string& file_or_name,
                                    const std::filesystem::path& configs);

/// What starts a program on `procs` nodes of the cluster when its path is put behind. Writes the
/// platform and host files it names into `folder`, which is created.
std::vector<std::string> virtual_launcher(const VirtualCluster& cluster, int procs,
                                          const std::filesystem::path& folder);

/// The same with a program and its arguments behind; throws InputError when it is not SMPI's.
std::vector<std::string> virtual_launch(const VirtualCluster& cluster, int procs,
                                        const std::filesystem::path& folder,
                                        const std::vector<std::string>& command);

}  // namespace apmt
