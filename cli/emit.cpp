#include "cli/emit.h"

#include <cstdio>
#include <map>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "cli/arguments.h"
#include "cli/logging.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, BatchSystem> kSystems = {{"slurm", BatchSystem::kSlurm},
                                                     {"pbs", BatchSystem::kPbs},
                                                     {"lsf", BatchSystem::kLsf},
                                                     {"flux", BatchSystem::kFlux}};

}  // namespace

void add_emit_options(Verb verb, EmitOptions* options) {
  verb.add_option("--emit", options->system,
                  "Write job scripts instead of running: slurm, pbs, lsf or flux")
      .check(one_of({"slurm", "pbs", "lsf", "flux"}));
  verb.add_option("--jobs", options->directory, "Directory of the job scripts [EXPERIMENT-jobs]");
  verb.add_flag("--array", options->job.array,
                "A job array for each process count, with an element for each run, instead of one "
                "job that makes the runs one after another (slurm, pbs, lsf)");
  verb.add_option("--ranks-per-node", options->job.ranks_per_node,
                  "Processes on a node [left to the batch system; pbs: one per chunk]")
      .check(whole_number(1, 1 << 16));
  verb.add_option("--directive", options->job.directives,
                  "A further option of the batch system for every script, e.g. "
                  "--directive=--time=30:00")
      .one_word();
  verb.add_option("--setup", options->job.setup,
                  "A command that every script begins with, e.g. --setup 'module load gcc'")
      .one_word();
}

void EmitOptions::check() const {
  const char* const option = !directory.empty()        ? "--jobs"
                             : job.array               ? "--array"
                             : job.ranks_per_node > 0  ? "--ranks-per-node"
                             : !job.directives.empty() ? "--directive"
                             : !job.setup.empty()      ? "--setup"
                                                       : nullptr;
  if (system.empty() && option != nullptr)
    throw InputError(option, "applies only to job scripts", "add --emit slurm, pbs, lsf or flux");
}

void emit(const CampaignOptions& campaign, EmitOptions options, bool dry_run) {
  CampaignOptions placed = campaign;
  placed.launch.experiment = fs::absolute(campaign_experiment(campaign)).lexically_normal();
  options.job.system = kSystems.at(options.system);
  options.job.apmt = fs::read_symlink("/proc/self/exe");
  options.job.directory = fs::current_path();
  fs::path directory = options.directory;
  if (directory.empty()) directory = placed.launch.experiment.string() + "-jobs";
  const std::vector<JobScript> scripts = job_scripts(placed, options.job);
  if (dry_run) {
    for (const JobScript& script : scripts)
      std::printf("# ---- %s\n%s\n", (directory / script.name).lexically_normal().c_str(),
                  script.content.c_str());
    return;
  }
  fs::create_directories(directory);
  for (const JobScript& script : scripts) {
    write_file_atomically(directory / script.name, script.content);
    fs::permissions(directory / script.name,
                    fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add);
  }
  logging::info("job scripts written; submit them with {}",
                (directory / "submit.sh").lexically_normal().string());
}

}  // namespace apmt
