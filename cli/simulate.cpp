// apmt simulate: adds counters from valgrind's callgrind to runs on machines without hardware
// counters.

#include "cli/simulate.h"

#include <cmath>
#include <set>

#include "base/input_error.h"
#include "base/words.h"
#include "campaign/launching/program_files.h"
#include "campaign/simulate.h"
#include "campaign/store/finished_runs.h"
#include "campaign/store/launch_note.h"
#include "campaign/store/run_directory.h"
#include "cli/arguments.h"
#include "cli/experiment_path.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/verbs.h"
#include "profiler/simulated/join.h"
#include "profiler/simulated/window.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSimulateFooter =
    "In an experiment, simulates the first repetition of every process count and size. The\n"
    "counts are added to the run's profile.json and marked as simulated; its measured times are\n"
    "unchanged.\n"
    "\n"
    "Examples:\n"
    "  apmt simulate apmt-app                            (recorded by apmt run)\n"
    "  apmt simulate apmt-app/apmt-app.p4.r1 --sample-iterations 10\n"
    "  apmt simulate apmt-app --prefetcher --machine node.yaml\n"
    "  apmt record --counters simulated mpirun -np 4 ./app   (both at once)";

struct SimulateArguments {
  std::vector<std::string> paths;
  SimulationOptions simulation;
};

std::vector<fs::path> runs_of(const std::vector<std::string>& paths) {
  std::vector<fs::path> runs;
  for (const std::string& path : paths) {
    if (kind_of(path) == PathKind::kRun) {
      runs.emplace_back(path);
      continue;
    }
    if (kind_of(path) != PathKind::kExperiment)
      throw InputError(path, "neither a run nor an experiment", "name a directory of apmt run");
    std::set<std::pair<int, std::map<std::string, double>>> seen;
    std::vector<FinishedRun> finished = finished_runs(path);
    std::sort(finished.begin(), finished.end(),
              [](const FinishedRun& a, const FinishedRun& b) { return a.dir < b.dir; });
    for (const FinishedRun& run : finished)
      if (seen.emplace(run.procs, run.params).second) runs.push_back(run.dir);
  }
  return runs;
}

int simulate(const SimulateArguments& options) {
  for (const fs::path& run : runs_of(options.paths)) {
    if (!fs::exists(run / LaunchNote::kFile))
      throw InputError(run.string(), "does not say how its program was started",
                       "runs of apmt run do; for a single run: apmt record --counters simulated");
    LaunchOptions launch;
    const LaunchNote note = read_launch_note(run);
    launch.command = note.command;
    const std::string rebuilt = what_was_rebuilt(files_of_run(run), files_run_by(note.command));
    if (!rebuilt.empty())
      throw InputError(run.string(), "recorded before this file changed: " + rebuilt,
                       "the counts would be of another program: make the run again");
    launch.library_dir = library_dir();
    simulate_and_tell(launch, run, options.simulation);
  }
  return 0;
}

// Only functions that are called in the simulated rounds (profiler/simulated/window.h) get
// counters. If the functions with counters have less than this share of the sampled time, and the
// user set no number of rounds, the whole run is simulated, unless this would take longer than
// kLongestUnasked_s.
constexpr double kEnoughOfTheRun = 0.8;
constexpr double kLongestUnasked_s = 600;

void tell(const SimulationPlan& plan, int ranks) {
  if (plan.window)
    logging::info("simulating {} of {:.0f} rounds of {} on {}: about {:.0f} s",
                  plan.window->last - plan.window->first, plan.window->calls_per_rank,
                  plan.window->op, counted(ranks, "rank"), plan.expected_s);
  else
    logging::info("simulating the whole run on {}: about {:.0f} s", counted(ranks, "rank"),
                  plan.expected_s);
}

/// The machine profile that the options name; otherwise the one that apmt fit --machine has stored
/// in the run's experiment.
std::optional<MachineProfile> machine_of(const SimulationOptions& options, const fs::path& run) {
  if (!options.machine.empty()) return read_machine_profile(machine_profile(options.machine));
  const fs::path kept = kept_machine(fs::absolute(run).lexically_normal().parent_path());
  if (kept.empty()) return std::nullopt;
  return read_machine_profile(kept);
}

}  // namespace

void simulate_and_tell(const LaunchOptions& launch, const fs::path& run,
                       const SimulationOptions& options) {
  const RunProfile profile = read_run_profile(run / "profile.json");
  const std::optional<MachineProfile> machine = machine_of(options, run);
  const auto simulated = [&](const SimulationPlan& plan) {
    tell(plan, profile.config.procs);
    const std::vector<CallgrindProfile> ranks = simulate_ranks(launch, plan, profile, run);
    RunProfile counted = profile;
    const double calls_per_rank = plan.window ? plan.window->calls_per_rank : 0;
    add_simulated_counters(ranks, calls_per_rank, plan.caches, &counted);
    const double share = counted_share(ranks, profile);
    if (share > 0 && options.prefetcher) {
      logging::info("once more, with a prefetcher");
      const SimulationPlan again = with_prefetcher(plan);
      add_demand_accesses(simulate_ranks(launch, again, profile, run), calls_per_rank, again.caches,
                          &counted);
    }
    if (share > 0) write_run_profile(counted, run / "profile.json");
    return share;
  };
  if (profile.kernels.empty())
    throw InputError(
        run.string(), "no sample fell into a function of the program",
        "make the run longer; where a cluster's file says simulate_computation: false, "
        "the program's instructions are not part of the run",
        ExitCode::kNotEnoughData);
  if (profile.config.is_virtual && options.rounds.value_or(0) > 0)
    throw InputError("--sample-iterations",
                     "the ranks of a simulated cluster take turns in one process, where no rounds "
                     "can be told apart",
                     "leave it out: the whole run is simulated");
  const SimulationPlan plan =
      plan_simulation(profile, options.rounds.value_or(kUsualRounds), machine);
  double share = simulated(plan);
  if (plan.window && share < kEnoughOfTheRun && !options.rounds) {
    const SimulationPlan whole = plan_simulation(profile, 0, machine);
    logging::info("these rounds reach functions with {:.0f} % of the sampled time", 100 * share);
    if (whole.expected_s <= kLongestUnasked_s) {
      share = simulated(whole);  // if interrupted, the counts of the rounds stay
    } else {
      logging::info("--sample-iterations 0 would simulate the whole run, in about {}",
                    counted(std::lround(whole.expected_s / 60), "minute"));
    }
  }
  if (share > 0)
    logging::info("added simulated counters to {}", run.lexically_normal().string());
  else
    logging::warn("{} is unchanged: none of its sampled functions was simulated",
                  run.lexically_normal().string());
}

void add_simulation_options(Verb verb, SimulationOptions* options) {
  verb.add_option("--sample-iterations", options->rounds,
                  "Rounds of the program to simulate; 0: the whole run, 50 to 100 times slower "
                  "[12, or all when they cover too little of the run]")
      .check(whole_number(0, 1000000));
  verb.add_flag(
      "--prefetcher", options->prefetcher,
      "Simulate a second time, with a prefetcher: accesses that it covers cost bandwidth, "
      "the others latency");
  verb.add_option("--machine", options->machine,
                  "Profile of this machine (apmt calibrate), a file or a name: gives the effective "
                  "size of its last cache [that of the experiment, or as the kernel reports]");
}

void add_simulate(CommandLine& program) {
  Verb verb = program.add_verb("simulate", "Add simulated counters (callgrind) to recorded runs");
  verb.footer(kSimulateFooter);
  auto options = std::make_shared<SimulateArguments>();
  verb.add_option("runs", options->paths, "Runs, or an experiment").required();
  add_simulation_options(verb, &options->simulation);
  verb.action([options] { return simulate(*options); });
}

}  // namespace apmt
