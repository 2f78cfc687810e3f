#include "profiler/reader/fold_hosts.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/cpu_list.h"

namespace apmt {

void fold_hosts(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  std::map<std::string, std::size_t> index;
  std::vector<std::set<int>> cpus;
  for (const RawRecording& raw : ranks) {
    const std::string name = raw.first("host");
    const auto [it, is_new] = index.emplace(name, profile->hosts.size());
    if (is_new) {
      profile->hosts.push_back({name, raw.first("cpu_model"), 0, 0, raw.first("kernel")});
      cpus.emplace_back();
    }
    profile->hosts[it->second].ranks += 1;
    for (const int cpu : parse_cpu_list(raw.first("affinity"))) cpus[it->second].insert(cpu);
    profile->host_of_rank.push_back(static_cast<int>(it->second));
    const std::string cpu = raw.first("cpu");
    profile->placement.push_back(
        {cpu.empty() ? -1 : std::max(std::atoi(cpu.c_str()), -1), raw.first("affinity")});
  }
  profile->config.nodes = static_cast<int>(profile->hosts.size());
  profile->config.max_ranks_per_node = 0;
  for (std::size_t i = 0; i < profile->hosts.size(); ++i) {
    HostInfo& host = profile->hosts[i];
    host.usable_cpus = static_cast<int>(cpus[i].size());
    profile->config.max_ranks_per_node = std::max(profile->config.max_ranks_per_node, host.ranks);
    if (host.usable_cpus > 0 && host.ranks > host.usable_cpus)
      profile->config.oversubscribed = true;
  }
}

}  // namespace apmt
