#include "cli/refine_runs.h"

#include <algorithm>
#include <cstdio>

#include "campaign/batch/job_scripts.h"
#include "cli/campaign_progress.h"
#include "cli/installation.h"
#include "cli/on_cluster.h"
#include "cli/size_lists.h"
#include "cli/terminal.h"
#include "reports/render.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

int wanted_procs(const RefineOptions& options, const Model& model) {
  constexpr int kFactor = 4;
  return options.at > 0 ? options.at : kFactor * model.max_procs();
}

std::string with_procs(std::string word, int procs) {
  const std::string place = "{p}";
  for (std::size_t at = 0; (at = word.find(place, at)) != std::string::npos;)
    word.replace(at, place.size(), std::to_string(procs));
  return word;
}

/// Whether the files that the command names exist for `procs`. A command may name one file per
/// process count (./cg.A.{p}). Only words that name a file at the profiled count are checked.
bool has_files(const std::vector<std::string>& words, int profiled, int procs) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return !fs::is_regular_file(with_procs(word, profiled)) ||
           fs::is_regular_file(with_procs(word, procs));
  });
}

CampaignOptions campaign_of(const RefineOptions& options, const fs::path& dir, int procs) {
  CampaignOptions campaign = refinement_campaign(options, dir, procs);
  if (!options.cluster.empty()) run_on_cluster(options.cluster, &campaign);
  campaign.check();
  return campaign;
}

}  // namespace

CampaignOptions refinement_campaign(const RefineOptions& options, const fs::path& dir, int procs) {
  CampaignOptions campaign;
  campaign.reps = options.reps;
  campaign.launch.command = options.command;
  campaign.launch.library_dir = library_dir();
  campaign.launch.events = choose_events("auto", configs_dir());
  campaign.launch.experiment = dir;
  campaign.points = campaign_points({procs}, parse_size_lists(options.sizes));
  return campaign;
}

NextRunOptions next_options(const RefineOptions& options, const Model& model) {
  NextRunOptions next;
  next.at = wanted_procs(options, model);
  next.most_procs = options.most_procs;
  next.reps = options.reps;
  next.candidates = options.procs;
  next.can_run = [words = options.command, largest = model.max_procs()](int procs) {
    return has_files(words, largest, procs);
  };
  return next;
}

int make_runs(const RefineOptions& options, const fs::path& dir, int procs) {
  CampaignProgress progress;
  const CampaignResult result = run_campaign(campaign_of(options, dir, procs), progress.watcher());
  progress.clear();
  return tell_end(result);
}

void print_job_script(const RefineOptions& options, const fs::path& dir, int procs) {
  if (options.command.empty()) return;
  CampaignOptions campaign = campaign_of(options, fs::absolute(dir).lexically_normal(), procs);
  if (campaign.launcher) return;  // a simulated cluster runs here, without a batch system
  JobOptions job;
  job.apmt = fs::read_symlink("/proc/self/exe");
  job.directory = fs::current_path();
  std::printf("\n%s", job_scripts(campaign, job).front().content.c_str());
}

Json to_json(const NextRun& run) {
  return {{"procs", run.procs},
          {"new", run.is_new},
          {"time_s", run.time_s},
          {"core_hours", run.core_hours},
          {"width_before", run.width_before},
          {"width_after", run.width_after},
          {"gain", run.narrowing()}};
}

void print(const Report& report) {
  std::fputs(render_text(report, text_columns()).c_str(), stdout);
}

}  // namespace apmt
