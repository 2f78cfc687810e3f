#include "campaign/launch.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>

#include "base/input_error.h"
#include "base/problem_sizes.h"
#include "base/words.h"
#include "campaign/launching/executable.h"
#include "campaign/launching/other_nodes.h"
#include "campaign/launching/preload.h"
#include "campaign/launching/wrapped_command.h"
#include "campaign/store/launch_note.h"
#include "campaign/store/run_directory.h"
#include "machine/child_process.h"
#include "profiler/launcher_environment.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

using Settings = std::map<std::string, std::string>;

fs::path preload_library(const LaunchOptions& options, MpiFamily family) {
  fs::path library = options.library_dir / ("libapmt-" + to_string(family) + ".so");
  if (!fs::exists(library))
    throw InputError(library.string(),
                     "this build has no library for " + to_string(family) + " programs",
                     "build apmt where this MPI's mpi.h is installed");
  return library;
}

/// The present value of an environment variable that holds a list, with `value` added.
std::string appended(const char* variable, const std::string& value, char separator) {
  const char* old = std::getenv(variable);
  return old == nullptr || *old == '\0' ? value : std::string(old) + separator + value;
}

/// Throws InputError if the program would record problem sizes from APMT_PARAMS that apmt could not
/// read afterwards.
void check_sizes_in_environment() {
  const char* const text = std::getenv("APMT_PARAMS");
  if (text == nullptr) return;
  for (const std::string& item : sizes_in_text(text).refused)
    throw InputError("APMT_PARAMS",
                     "'" + item + "': expected name=number, the name of letters and _",
                     "for example APMT_PARAMS=n=1000,iter=50; or give sizes with --set");
}

/// SMPI copies the Fortran library for each rank into the folder for temporary files. The names of
/// the copies contain only the rank, so two simulations at the same time need different folders.
/// The recorder gives the program the user's TMPDIR back.
std::shared_ptr<TemporaryFolder> copies_of_library(const Target& target, Settings* settings) {
  if (target.family != MpiFamily::kSmpi || target.fortran_library.empty()) return nullptr;
  auto copies = std::make_shared<TemporaryFolder>();
  const char* const users = std::getenv("TMPDIR");
  (*settings)["APMT_TMPDIR"] = users == nullptr ? "" : users;
  (*settings)["TMPDIR"] = copies->path().string();
  return copies;
}

Settings settings_for(const LaunchOptions& options, const Target& target) {
  Settings settings;
  settings["LD_PRELOAD"] = appended(
      "LD_PRELOAD", preloadable(preload_library(options, target.family), options.experiment), ':');
  if (!options.experiment.empty()) settings["APMT_DIR"] = fs::absolute(options.experiment).string();
  if (options.params.empty())
    check_sizes_in_environment();
  else
    settings["APMT_PARAMS"] = text_of_sizes(options.params);
  if (options.source != "auto") settings["APMT_SOURCE"] = options.source;
  if (!options.events.events.empty()) settings["APMT_EVENTS"] = options.events.events;
  if (!options.events.events.empty() && options.events.is_default)
    settings["APMT_EVENTS_CHOSEN"] = "1";
  if (!options.events.metrics.empty()) settings["APMT_METRICS"] = options.events.metrics;
  if (options.rotate != "ranks") settings["APMT_ROTATE"] = options.rotate;
  if (!options.simulate.empty()) settings["APMT_SIMULATE"] = options.simulate;
  if (options.interval_s > 0)
    settings["APMT_INTERVAL_NS"] = std::to_string(static_cast<long long>(options.interval_s * 1e9));
  if (options.memory_bytes > 0) settings["APMT_MEMORY"] = std::to_string(options.memory_bytes);
  // The launched command inherits this variable from the environment. It is added to the settings
  // as well, because only the settings are passed on to other nodes.
  if (const char* stage = std::getenv("APMT_STAGE")) settings["APMT_STAGE"] = stage;
  if (target.family == MpiFamily::kNone && target.program)
    settings["APMT_TARGET"] = fs::canonical(target.program->path).string();
  return settings;
}

/// The number of runs of an experiment. If the processor cannot count all events at once, they are
/// split into sets. This number selects the set with which the next run begins, so that a few
/// repetitions cover all sets.
int count_runs(const fs::path& experiment) {
  return static_cast<int>(run_directories(experiment).size());
}

/// Whether the variable was set by sbatch for its script, and not by srun for a rank. sbatch sets
/// SLURM_PROCID, too, but then SLURM_STEP_ID is missing or is one of the highest numbers, which are
/// special.
bool is_batch_script(const std::string& rank_variable) {
  constexpr unsigned long long kFirstSpecialStep = 0xfffffff0u;
  if (rank_variable != "SLURM_PROCID") return false;
  const char* const step = std::getenv("SLURM_STEP_ID");
  return step == nullptr || std::strtoull(step, nullptr, 10) >= kFirstSpecialStep;
}

/// A name that no other launch has, made from the time and this process's number.
std::string new_run_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) + "-" +
         std::to_string(::getpid());
}

}  // namespace

bool inside_launcher() {
  for (const char* const* name = kRankVariables; *name != nullptr; ++name)
    if (std::getenv(*name) != nullptr && !is_batch_script(*name)) return true;
  return false;
}

std::string nothing_recorded(const PreparedLaunch& launch,
                             const std::vector<std::string>& reasons) {
  if (const char* off = std::getenv("APMT_OFF"); off != nullptr && *off != '\0')
    return "nothing was recorded, because APMT_OFF is set; unset it";
  return reasons.empty()
             ? "nothing was recorded: " + why_not_recorded(launch.target, launch.command)
             : with_reasons("nothing was recorded", reasons);
}

std::string with_reasons(const std::string& what, const std::vector<std::string>& reasons) {
  if (reasons.empty()) return what + "; on other nodes, is the directory shared?";
  std::string text = what;
  for (const std::string& reason : reasons) text += (text == what ? ": " : "; ") + reason;
  return text;
}

void exec_recorded(const LaunchOptions& options) {
  replace_by(options.command, settings_for(options, target_of(options.command)));
}

void exec_prepared(const PreparedLaunch& launch) {
  std::vector<std::string> command = launch.command;
  Settings settings = launch.environment;
  if (launch.target.family == MpiFamily::kOpenMpi)
    forward_to_nodes(&settings, launch.target, &command);
  replace_by(command, settings);
}

PreparedLaunch prepare_launch(const LaunchOptions& wanted) {
  if (!find_executable(wanted.command.front()))
    throw InputError(wanted.command.front(), "no such program");
  PreparedLaunch launch;
  launch.command = wanted.command;
  launch.target = target_of(wanted.command);
  LaunchOptions options = wanted;
  if (options.experiment.empty())
    options.experiment =
        "apmt-" +
        (launch.target.program ? launch.target.program->path.filename().string() : "program");
  launch.experiment = options.experiment;
  launch.run_id = new_run_id();
  launch.environment = settings_for(options, launch.target);
  launch.environment["APMT_RUN_ID"] = launch.run_id;
  launch.environment["APMT_QUIET"] = "reasons";  // because this process prints the messages
  if (!options.events.events.empty())
    launch.environment["APMT_SET"] =
        std::to_string(options.event_set < 0 ? count_runs(launch.experiment) : options.event_set);
  launch.copies = copies_of_library(launch.target, &launch.environment);
  return launch;
}

namespace {

/// Notes that the command failed. Must be called before the recordings are merged, so that the run
/// never looks finished.
void note_failure(const PreparedLaunch& launch, const fs::path& running, LaunchResult* result) {
  try {
    write_launch_note({launch.command, 0, 0, {}, result->exit_code}, running);
  } catch (const InputError& error) {
    result->problems.emplace_back(error.what());
  }
}

void merge_recorded(const PreparedLaunch& launch, const OnProgress& on_progress,
                    std::vector<fs::path>* replaced, LaunchResult* result) {
  const fs::path running = launch.experiment / ("running-" + launch.run_id);
  Collected collected;
  std::error_code gone;  // an error of the file system must not change the command's result
  const bool has_recordings = fs::exists(running, gone);
  if (gone) result->problems.push_back(running.string() + ": " + gone.message());
  if (has_recordings) {
    if (result->exit_code != 0) note_failure(launch, running, result);
    CollectOptions collect;
    collect.on_progress = on_progress;
    collect.replaced = replaced;
    collect.as_is = true;
    collected = collect_folder(running, launch.experiment, collect);
  }
  std::move(collected.left.begin(), collected.left.end(), std::back_inserter(result->problems));
  if (collected.runs.empty() && result->problems.empty())
    result->problems.push_back(nothing_recorded(launch, collected.reasons));
  std::error_code ignored;
  if (collected.runs.empty())
    fs::remove(launch.experiment, ignored);  // removes it only if it is empty
  for (const fs::path& run : collected.runs) {
    try {
      result->runs.push_back({run, read_run_profile(run / "profile.json")});
    } catch (const InputError& error) {
      result->problems.emplace_back(error.what());
      continue;
    }
    const Health& health = result->runs.back().profile.health;
    if (health.ranks_present < health.ranks_expected)
      result->problems.push_back(
          with_reasons(run.string() + ": only " + std::to_string(health.ranks_present) + " of " +
                           counted(health.ranks_expected, "rank") + " left a recording",
                       collected.reasons));
  }
}

}  // namespace

LaunchResult run_recorded(const LaunchOptions& options, const OnProgress& on_progress) {
  const PreparedLaunch launch = prepare_launch(options);
  fs::create_directories(fs::absolute(launch.experiment));  // ranks create only its last folder
  LaunchResult result;
  std::vector<fs::path> replaced;
  if (options.force) replaced = run_directories(launch.experiment);
  const CommandEnd end = run_wrapped([&] { exec_prepared(launch); });
  result.exit_code = end.exit_code;
  result.signal = end.signal;
  if (result.exit_code != 0) replaced.clear();  // a failed run replaces nothing
  merge_recorded(launch, on_progress, &replaced, &result);
  return result;
}

}  // namespace apmt
