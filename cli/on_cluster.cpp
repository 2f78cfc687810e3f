#include "cli/on_cluster.h"

#include "campaign/virtual/virtual_cluster.h"
#include "cli/installation.h"

namespace apmt {

void run_on_cluster(const std::string& name, CampaignOptions* campaign) {
  const VirtualCluster cluster = read_virtual_cluster(name, configs_dir());
  const std::filesystem::path folder =
      std::filesystem::absolute(campaign->launch.experiment) / "virtual";
  campaign->launcher = [=](int procs, const std::vector<std::string>& command) {
    return virtual_launch(cluster, procs, folder, command);
  };
  campaign->before_run = [=](int procs) { write_virtual_platform(cluster, procs, folder); };
}

}  // namespace apmt
