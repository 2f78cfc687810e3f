#include "cli/compared_runs.h"

#include "campaign/store/launch_note.h"
#include "campaign/store/run_directory.h"
#include "campaign/virtual/virtual_cluster.h"

namespace apmt {

namespace fs = std::filesystem;

std::set<std::string> virtual_clusters(const fs::path& experiment_or_run) {
  const bool is_run = kind_of(experiment_or_run) == PathKind::kRun;
  std::set<std::string> clusters;
  for (const fs::path& run :
       is_run ? std::vector{experiment_or_run} : run_directories(experiment_or_run)) {
    if (!fs::exists(run / LaunchNote::kFile)) continue;
    const fs::path experiment = fs::absolute(run / "..").lexically_normal();
    clusters.insert(cluster_of_launch(read_launch_note(run).command, experiment / "virtual"));
  }
  clusters.erase("");
  return clusters;
}

}  // namespace apmt
