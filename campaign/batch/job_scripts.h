// Writes a campaign as batch jobs. There is one script for each process count, one for the fit, and
// one that submits the others. The fit begins after all other jobs have succeeded. The script of a
// process count is either a single job that makes all its runs, alternating between sizes, or a job
// array with one element per run. All elements of an array request the same resources, so an array
// has only one process count.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/batch/batch_dialect.h"
#include "campaign/campaign.h"

namespace apmt {

struct JobOptions {
  BatchSystem system = BatchSystem::kSlurm;
  std::filesystem::path apmt;       // absolute path of the command
  std::filesystem::path directory;  // where jobs start; absolute
  int ranks_per_node = 0;           // 0: left to the batch system
  bool array = false;               // one array element per run
  std::vector<std::string>
      directives;                  // further directives in the batch system's form: "--time=10:00"
  std::vector<std::string> setup;  // commands at the start of every script, run in `directory`
  std::vector<std::string> run_options;  // for apmt run, besides --procs, --set, --reps and --dir
  std::vector<std::string> fit_options;  // for apmt fit
  std::vector<int> predict;              // process counts that the last job predicts; may be empty
};

struct JobScript {
  std::string name;  // "p8.sh", "fit.sh", "submit.sh"
  std::string content;
};

/// Throws InputError for a job array that the batch system does not support, or for an invalid
/// directive.
std::vector<JobScript> job_scripts(const CampaignOptions& campaign, const JobOptions& options);

/// The words of a command, quoted for a shell.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace apmt
