#include "cli/doubtful_runs.h"

#include <algorithm>

#include "campaign/store/finished_runs.h"
#include "cli/logging.h"
#include "fitter/runs/run_checks.h"

namespace apmt {

void warn_of_doubtful_runs(const CampaignOptions& campaign) {
  std::vector<RunProfile> runs;
  for (const FinishedRun& run : finished_runs(campaign.launch.experiment))
    if (std::any_of(campaign.points.begin(), campaign.points.end(), [&](const CampaignPoint& p) {
          return p.procs == run.procs && p.params() == run.params;
        }))
      runs.push_back(read_run_profile(run.dir / "profile.json"));
  if (runs.empty()) return;
  Experiment experiment = make_experiment(std::move(runs), {.same_program = true});
  for (const std::string& sentence : runs_with_created_threads(experiment))
    logging::warn("{}", sentence);
  for (const std::string& sentence : short_runs(experiment)) logging::warn("{}", sentence);
  for (const std::string& sentence : runs_off_cpu(experiment)) logging::warn("{}", sentence);
  // A rank may be off the CPU because it reads files. If a point has only one run, it is unknown
  // whether this happens in every run, so such points are left out.
  std::erase_if(experiment.points, [](const ExperimentPoint& p) { return p.runs.size() < 2; });
  for (const std::string& sentence : stalled_runs(experiment)) logging::warn("{}", sentence);
}

}  // namespace apmt
