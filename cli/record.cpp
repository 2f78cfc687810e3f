// apmt record: runs the user's command once, with apmt's recording library loaded into the program.

#include "base/input_error.h"
#include "base/words.h"
#include "campaign/launch.h"
#include "campaign/launching/executable.h"
#include "campaign/launching/wrapped_command.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "cli/simulate.h"
#include "cli/verbs.h"
#include "profile/run_ending.h"

namespace apmt {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  apmt record mpirun -np 4 ./app input.nml\n"
    "  apmt record -d study --set n=1000 -- mpirun -np 4 ./app 1000\n"
    "  srun -n 64 apmt record ./app input.nml        (inside a launcher: one per rank)\n"
    "  LD_PRELOAD=";
constexpr const char* kAfterPreload =
    " mpirun -np 4 ./app\n"
    "\n"
    "Runs are stored in apmt-<program>/apmt-<program>.p<ranks>.<sizes>.r<repetition>/.\n"
    "The output and the exit code are the program's own.";

/// The end of the help, with examples. The example with LD_PRELOAD contains the full path of the
/// library, because the dynamic loader looks for a name without a path only in the system's
/// folders.
std::string footer() {
  std::string library = "/path/to/libapmt-openmpi.so";
  try {
    library = (library_dir() / "libapmt-openmpi.so").string();
  } catch (const std::exception&) {
    // The library is not installed. The help is printed all the same, with the path above.
  }
  return kExamples + library + kAfterPreload;
}

struct RecordArguments {
  LaunchOptions launch;
  std::vector<std::string> sizes;
  RecordingOptions recording;
  std::string counters = "measured";
  SimulationOptions simulation;
};

int record(RecordArguments options) {
  LaunchOptions& launch = options.launch;
  launch.library_dir = library_dir();
  launch.params = parse_sizes(options.sizes);
  options.recording.apply_to(&launch);
  const bool is_rank = inside_launcher() && !starts_a_launcher(launch.command);
  const bool simulated = options.counters == "simulated";
  if (simulated && is_rank)
    throw InputError("--counters simulated",
                     "this starts the program twice, which a single rank cannot do",
                     "put apmt before the launcher: apmt record --counters simulated mpirun ...");
  if (launch.force && is_rank)
    throw InputError("--force", "one rank cannot replace a run",
                     "put apmt before the launcher: apmt record --force mpirun ...");
  // is_rank is false if the command is itself a launcher. A batch script, too, has a variable with
  // a rank (SLURM_PROCID), but this is not the rank of the programs that a launcher in the script
  // starts.
  if (is_rank) exec_recorded(launch);

  Progress progress("reading ranks");
  const LaunchResult result =
      run_recorded(launch, [&](std::size_t done, std::size_t total) { progress.at(done, total); });
  for (const auto& [run, profile] : result.runs) {
    logging::info("recorded {}, {} into {}", counted(profile.health.ranks_present, "rank"),
                  counted(profile.sampling.samples, "sample"), run.lexically_normal().string());
    if (profile.config.oversubscribed)
      logging::warn("more ranks than cores: compute times are valid, communication times are not");
    if (profile.health.overhead_fraction > 0.01)
      logging::warn("recording itself took {:.1f} % of the run",
                    100 * profile.health.overhead_fraction);
    if (ending_of(profile) == RunEnding::kCutOff)
      logging::warn("{}; apmt run and apmt fit do not use such a run", how_it_ended(profile));
    for (const std::string& note : profile.health.notes) logging::warn("{}", note);
  }
  for (const std::string& problem : result.problems) logging::error("{}", problem);
  if (result.signal != 0) end_by(result.signal);
  if (result.exit_code != 0) {
    logging::warn("the command ended with exit code {}", result.exit_code);
    return result.exit_code;
  }
  if (simulated)
    for (const RecordedRun& run : result.runs)
      simulate_and_tell(launch, run.folder, options.simulation);
  return 0;  // the command succeeded; missing recordings were reported above
}

}  // namespace

void add_record(CommandLine& program) {
  Verb verb = program.add_verb("record", "Run a command and record every rank of it");
  verb.footer(footer());
  verb.ends_with_command();
  auto options = std::make_shared<RecordArguments>();
  verb.add_option("-d,--dir", options->launch.experiment, "Experiment directory [apmt-<program>]")
      .from_environment("APMT_DIR");
  verb.add_flag("--force", options->launch.force,
                "Replace the runs with the same processes and sizes [add one more "
                "repetition]");
  verb.add_option("--set", options->sizes, "Problem sizes of this run, e.g. n=1000,iter=50")
      .one_word();
  add_recording_options(verb, &options->recording);
  verb.add_option(
          "--counters", options->counters,
          "measured; or, on machines without counters, simulated by a second run in callgrind")
      .check(one_of({"measured", "simulated"}))
      .shows_default();
  add_simulation_options(verb, &options->simulation);
  verb.add_option("command", options->launch.command, "The command, launcher included").required();
  verb.action([options] { return record(*options); });
}

}  // namespace apmt
