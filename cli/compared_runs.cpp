#include "cli/compared_runs.h"

#include "base/input_error.h"
#include "campaign/store/launch_note.h"
#include "campaign/store/run_directory.h"
#include "campaign/virtual/virtual_cluster.h"

namespace apmt {

namespace fs = std::filesystem;

std::set<std::string> virtual_clusters(const fs::path& experiment_or_run) {
  const bool is_run = kind_of(experiment_or_run) == PathKind::kRun;
  const fs::path dir =
      fs::is_directory(experiment_or_run) ? experiment_or_run : experiment_or_run.parent_path();
  std::set<std::string> clusters;
  for (const fs::path& run : is_run ? std::vector{dir} : run_directories(dir)) {
    if (!fs::exists(run / LaunchNote::kFile)) continue;
    const fs::path experiment = fs::absolute(run / "..").lexically_normal();
    try {
      clusters.insert(cluster_of_launch(read_launch_note(run).command, experiment / "virtual"));
    } catch (const InputError&) {
      continue;  // a damaged note only hides on which cluster the run was
    }
  }
  clusters.erase("");
  return clusters;
}

}  // namespace apmt
