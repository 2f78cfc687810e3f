#include "cli/experiment_path.h"

#include <algorithm>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/listed.h"
#include "campaign/store/run_directory.h"
#include "cli/fit_runs.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/progress.h"
#include "profile/profile_files.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWork = "work";
constexpr const char* kMachine = "machine.yaml";

/// Whether `dir` contains a model that is newer than all runs and analyses there.
bool model_is_current(const fs::path& dir) {
  const fs::path model = dir / "model.json";
  if (!fs::exists(model)) return false;
  const fs::file_time_type made = fs::last_write_time(model);
  const std::vector<fs::path> profiles = profiles_in(dir);
  return std::none_of(profiles.begin(), profiles.end(), [&](const fs::path& profile) {
    const fs::path analysis = profile.parent_path() / "analysis.json";
    return fs::last_write_time(profile) > made ||
           (fs::exists(analysis) && fs::last_write_time(analysis) > made);
  });
}

}  // namespace

fs::path newest_experiment_here(const std::vector<fs::path>& others) {
  const fs::path newest = newest_experiment(".", others);
  std::vector<std::string> not_used;
  if (newest != ".")
    for (const fs::path& experiment : experiments_in("."))
      if (experiment != newest) not_used.push_back(experiment.filename().string());
  if (not_used.empty()) return newest;
  constexpr std::size_t kMost = 5;
  const std::size_t more = not_used.size() - std::min(not_used.size(), kMost);
  not_used.resize(not_used.size() - more);
  logging::info("no experiment is named, so this uses the newest one here, {} (others: {}{})",
                newest.filename().string(), listed(not_used),
                more > 0 ? fmt::format(" and {} more", more) : "");
  return newest;
}

fs::path experiment_dir(const fs::path& path) {
  if (path.empty()) return newest_experiment_here();
  switch (kind_of(path)) {
    case PathKind::kExperiment:
    case PathKind::kRun:
      return path;
    case PathKind::kNothing:
      throw InputError(path.string(), "no such file or directory");
    default:
      break;
  }
  if (fs::is_directory(path)) fs::directory_iterator readable(path);  // throws if it cannot be read
  throw InputError(path.string(),
                   "is not an experiment: expected a directory of runs apmt-<program>.p<ranks>.../",
                   "record runs first: apmt record mpirun -np 4 ./app", ExitCode::kNotEnoughData);
}

Collected merge_and_tell(const fs::path& dir, bool as_is) {
  Progress progress("merging ranks");
  CollectOptions options;
  options.on_progress = [&](std::size_t done, std::size_t total) { progress.at(done, total); };
  options.as_is = as_is;
  Collected collected = collect_finished(dir, options);
  for (const fs::path& run : collected.runs) {
    logging::info("merged {}", run.string());
    for (const std::string& note : read_run_profile(run / "profile.json").health.notes)
      logging::warn("{}: {}", run.string(), note);
  }
  for (const std::string& sentence : collected.left) logging::warn("{}", sentence);
  for (const std::string& reason : collected.reasons) logging::warn("not recorded: {}", reason);
  return collected;
}

namespace {

void merge_or_warn(const fs::path& dir, Unmerged unmerged) {
  if (unmerged == Unmerged::kLeave && !running_directories(dir).empty())
    logging::warn("{} has recordings that are not merged and not used here; apmt merge {}",
                  dir.string(), dir.string());
  else if (unmerged == Unmerged::kMerge && kind_of(dir) == PathKind::kExperiment)
    merge_and_tell(dir, false);
}

}  // namespace

Experiment load_experiment(const fs::path& dir, const ExperimentOptions& options,
                           Unmerged unmerged) {
  merge_or_warn(dir, unmerged);
  return read_experiment(dir, options);
}

void keep_work(const fs::path& dir, const std::string& expression) {
  fs::create_directories(dir);
  write_file_atomically(dir / kWork, expression + "\n");
}

std::string kept_work(const fs::path& dir) {
  if (!fs::exists(dir / kWork)) return {};
  std::string expression = read_whole_file(dir / kWork);
  while (!expression.empty() && expression.back() == '\n') expression.pop_back();
  return expression;
}

void keep_machine(const fs::path& dir, const fs::path& profile) {
  std::error_code ignored;
  if (fs::equivalent(profile, dir / kMachine, ignored)) return;
  write_file_atomically(dir / kMachine, read_whole_file(profile));
}

fs::path kept_machine(const fs::path& dir) {
  return fs::exists(dir / kMachine) ? dir / kMachine : fs::path();
}

void use_machine(const fs::path& profile, FitOptions* options) {
  options->memory = read_memory_costs(profile);
  options->network = read_network_costs(profile);
}

FitOptions kept_fit_options(const fs::path& dir) {
  FitOptions options;
  options.configs = configs_dir();
  options.work = kept_work(dir);
  if (const fs::path machine = kept_machine(dir); !machine.empty()) use_machine(machine, &options);
  return options;
}

void add_experiment_options(Verb verb, ExperimentOptions* options) {
  verb.add_flag("--same-program", options->same_program,
                "Treat different builds as the same program, without a warning");
}

Model load_model(const fs::path& path, const ExperimentOptions& experiment, Unmerged unmerged) {
  if (!path.empty() && kind_of(path) == PathKind::kModel) return read_model(path);
  const fs::path dir = experiment_dir(path);
  merge_or_warn(dir, unmerged);  // a new run makes the model out of date
  if (model_is_current(dir)) return read_model(dir / "model.json");
  return fit_runs(dir, read_experiment(dir, experiment), kept_fit_options(dir),
                  experiment.same_program);
}

}  // namespace apmt
