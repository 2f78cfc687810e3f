// A cluster that only SimGrid's SMPI knows: its description, and what it takes to run a program on
// it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace apmt {

/// Any two nodes are `latency_s` and `bandwidth_bytes_per_s` apart (Hockney), whoever else is
/// sending.
struct VirtualCluster {
  std::string name;  // the file's, without directory and ending
  std::string title;
  double latency_s = 0;
  double bandwidth_bytes_per_s = 0;
  double relative_speed = 1;  // of a node: 2 halves the time that computation takes here
  /// False: only what a program plants by smpi_execute_flops() takes time. For exact tests.
  bool simulate_computation = true;
  std::map<std::string, std::string> collectives;  // algorithm by operation, the same at every P
};

/// A file, or the name of one that comes with apmt (configs/clusters/<name>.yaml). Throws
/// InputError.
VirtualCluster read_virtual_cluster(const std::string& file_or_name,
                                    const std::filesystem::path& configs);

/// The launch command that runs `command` on `procs` nodes of the cluster. Writes the platform and
/// host files it names into `folder`, which is created.
std::vector<std::string> virtual_launch(const VirtualCluster& cluster, int procs,
                                        const std::filesystem::path& folder,
                                        const std::vector<std::string>& command);

}  // namespace apmt
