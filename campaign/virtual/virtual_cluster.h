// A cluster that SimGrid's SMPI simulates: its description, and how to run a program on it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

/// A message between two nodes takes the time that `pieces` gives, or longer if another message
/// uses a link of one of these nodes at the same time. A message within a node always takes the
/// time that `within_node` gives.
struct VirtualCluster {
  std::string name;  // the name of its file, without folder and extension
  std::string title;
  std::vector<HockneyPiece> pieces;  // latency and bandwidth for each range of message sizes
  int ranks_per_node = 1;
  std::optional<HockneyPiece> within_node;  // present if ranks share nodes
  double relative_speed = 1;  // speed of a node: with 2, computation takes half as long as here
  /// False: only the work that a program passes to smpi_execute_flops() takes time. For tests that
  /// need exact times.
  bool simulate_computation = true;
  std::map<std::string, std::string> collectives;  // algorithm by operation, for any rank count
};

/// Reads a cluster's file, or a machine profile with a network. A name stands for a file that comes
/// with apmt (configs/clusters, configs/machines). "archer2@16" means archer2 with 16 ranks per
/// node. Throws InputError.
/// SMPI has only one set of pieces for all messages. So if ranks share nodes, messages between
/// nodes and messages within a node have one piece each: the latency of the smallest messages and
/// the bandwidth of the largest.
VirtualCluster read_virtual_cluster(const std::string& file_or_name,
                                    const std::filesystem::path& configs);

/// Makes `folder`, and writes the platform and host files for `procs` processes into it.
void write_virtual_platform(const VirtualCluster& cluster, int procs,
                            const std::filesystem::path& folder);

/// The first words of a command that runs a program with `procs` processes on the cluster; the
/// program's path follows. The command needs the files that write_virtual_platform() writes.
std::vector<std::string> virtual_launcher(const VirtualCluster& cluster, int procs,
                                          const std::filesystem::path& folder);

/// The whole command: virtual_launcher(), then the program and its arguments. Throws InputError if
/// the program was not built with SMPI.
std::vector<std::string> virtual_launch(const VirtualCluster& cluster, int procs,
                                        const std::filesystem::path& folder,
                                        const std::vector<std::string>& command);

/// The cluster of a launch: "ethernet-10g (latency 15 us, 1.1 GB/s)", or only its name if `folder`
/// no longer contains its platform file. Empty if the launch was not on a virtual cluster.
std::string cluster_of_launch(const std::vector<std::string>& launch,
                              const std::filesystem::path& folder);

}  // namespace apmt
