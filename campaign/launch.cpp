#include "campaign/launch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/input_error.h"
#include "campaign/executable.h"
#include "campaign/join_programs.h"
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

/// Appends to a list variable unless it is there already.
std::string appended(const char* variable, const std::string& value, char separator) {
  const char* old = std::getenv(variable);
  return old == nullptr || *old == '\0' ? value : std::string(old) + separator + value;
}

std::string params_text(const std::map<std::string, double>& params) {
  std::string text;
  char number[64];
  for (const auto& [name, value] : params) {
    std::snprintf(number, sizeof number, "%.17g", value);
    text += (text.empty() ? "" : ",") + name + "=" + number;
  }
  return text;
}

Settings settings_for(const LaunchOptions& options, const Target& target) {
  Settings settings;
  settings["LD_PRELOAD"] =
      appended("LD_PRELOAD", preload_library(options, target.family).string(), ':');
  if (!options.experiment.empty()) settings["APMT_DIR"] = fs::absolute(options.experiment).string();
  if (!options.params.empty()) settings["APMT_PARAMS"] = params_text(options.params);
  if (options.source != "auto") settings["APMT_SOURCE"] = options.source;
  if (!options.events.events.empty()) settings["APMT_EVENTS"] = options.events.events;
  if (!options.events.metrics.empty()) settings["APMT_METRICS"] = options.events.metrics;
  if (options.rotate != "ranks") settings["APMT_ROTATE"] = options.rotate;
  if (!options.simulate.empty()) settings["APMT_SIMULATE"] = options.simulate;
  if (options.interval_s > 0)
    settings["APMT_INTERVAL_NS"] = std::to_string(static_cast<long long>(options.interval_s * 1e9));
  if (options.memory_bytes > 0) settings["APMT_MEMORY"] = std::to_string(options.memory_bytes);
  if (target.family == MpiFamily::kNone && target.program)
    settings["APMT_TARGET"] = fs::canonical(target.program->path).string();
  return settings;
}

/// Open MPI hands variables to other nodes only when told to; the others pass everything on.
void forward_to_nodes(Settings* settings) {
  std::string names;
  for (const auto& [name, value] : *settings) names += (names.empty() ? "" : ";") + name;
  (*settings)["OMPI_MCA_mca_base_env_list"] = appended("OMPI_MCA_mca_base_env_list", names, ';');
}

[[noreturn]] void exec_command(const std::vector<std::string>& command, const Settings& settings) {
  for (const auto& [name, value] : settings) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  const int error = errno;
  throw InputError(command.front(), std::strerror(error));
}

/// While the command runs, Ctrl-C and the like are for it; apmt stays to collect its recordings.
class IgnoreInterrupts {
 public:
  IgnoreInterrupts() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &ignore, &old_[i]);
  }
  ~IgnoreInterrupts() { restore(); }
  IgnoreInterrupts(const IgnoreInterrupts&) = delete;
  IgnoreInterrupts& operator=(const IgnoreInterrupts&) = delete;
  void restore() const {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
  }

 private:
  static constexpr std::array<int, 2> kSignals = {SIGINT, SIGQUIT};
  std::array<struct sigaction, 2> old_{};
};

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int run_command(const PreparedLaunch& launch) {
  const IgnoreInterrupts guard;
  const pid_t child = ::fork();
  if (child < 0)
    throw InputError(launch.command.front(), std::strerror(errno), {}, ExitCode::kFailed);
  if (child == 0) {
    guard.restore();
    try {
      exec_prepared(launch);
    } catch (const InputError& error) {
      std::fprintf(stderr, "apmt: %s\n", error.what());
      ::_exit(127);
    }
  }
  return wait_for(child);
}

/// Runs that lie in an experiment: where events need several sets of counters, the next run begins
/// with the next set, so that a few repetitions have them all.
int count_runs(const fs::path& experiment) {
  return static_cast<int>(run_directories(experiment).size());
}

/// A unique name of the launch: the time and this process number.
std::string new_run_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) + "-" +
         std::to_string(::getpid());
}

}  // namespace

bool inside_launcher() {
  for (const char* const* name = kRankVariables; *name != nullptr; ++name)
    if (std::getenv(*name) != nullptr) return true;
  return false;
}

void exec_recorded(const LaunchOptions& options) {
  exec_command(options.command, settings_for(options, target_of(options.command)));
}

void exec_prepared(const PreparedLaunch& launch) {
  exec_command(launch.command, launch.environment);
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
  launch.environment["APMT_QUIET"] = "1";  // this side reports
  if (!options.events.events.empty())
    launch.environment["APMT_SET"] =
        std::to_string(options.event_set < 0 ? count_runs(launch.experiment) : options.event_set);
  if (launch.target.family == MpiFamily::kOpenMpi) forward_to_nodes(&launch.environment);
  return launch;
}

LaunchResult run_recorded(const LaunchOptions& options, const OnProgress& on_progress) {
  const PreparedLaunch launch = prepare_launch(options);
  fs::create_directories(fs::absolute(launch.experiment));  // ranks would make the last folder only
  LaunchResult result;
  std::vector<fs::path> replaced;
  if (options.force) replaced = run_directories(launch.experiment);
  result.exit_code = run_command(launch);
  if (result.exit_code != 0) replaced.clear();  // a failed run replaces nothing
  std::error_code ignored;
  std::vector<fs::path> running;
  for (const fs::directory_entry& entry : fs::directory_iterator(launch.experiment, ignored))
    if (entry.path().filename().string().starts_with("running-" + launch.run_id))
      running.push_back(entry.path());
  for (const fs::path& dir : join_programs(running)) {
    try {
      result.runs.push_back(collect_run(dir, launch.experiment, on_progress, replaced));
    } catch (const InputError& error) {
      const std::string hint = error.hint().empty() ? "" : "; " + error.hint();
      result.problems.push_back(error.what() + hint);
    }
  }
  if (result.runs.empty() && result.problems.empty())
    result.problems.push_back("nothing was recorded: " + why_not_recorded(launch.target));
  for (const fs::path& run : result.runs) {
    const RunProfile profile = read_run_profile(run / "profile.json");
    if (profile.health.ranks_present < profile.health.ranks_expected)
      result.problems.push_back(
          run.string() + ": only " + std::to_string(profile.health.ranks_present) + " of " +
          std::to_string(profile.health.ranks_expected) +
          " ranks left a recording; on other nodes, is the directory shared?");
  }
  return result;
}

}  // namespace apmt
