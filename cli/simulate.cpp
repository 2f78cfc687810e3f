// apmt simulate: adds counters from valgrind's callgrind to runs on machines without hardware
// counters.

#include "cli/simulate.h"

#include <cmath>
#include <iterator>
#include <map>

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
#include "machine/topology.h"
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
    "  apmt simulate apmt-app --ahead 64                 (with larger caches, too)\n"
    "  apmt record --counters simulated mpirun -np 4 ./app   (both at once)";

struct SimulateArguments {
  std::vector<std::string> paths;
  SimulationOptions simulation;
  int ahead = 0;  // 0: not asked for
};

/// A run to simulate, and the factors of its larger caches (--ahead).
struct RunToSimulate {
  fs::path dir;
  std::vector<double> cache_factors = {};
};

/// The first repetition of each process count and size, by size and process count.
std::map<std::map<std::string, double>, std::map<int, RunToSimulate>> runs_by_size(
    const fs::path& experiment) {
  std::vector<FinishedRun> finished = finished_runs(experiment);
  std::sort(finished.begin(), finished.end(),
            [](const FinishedRun& a, const FinishedRun& b) { return a.dir < b.dir; });
  std::map<std::map<std::string, double>, std::map<int, RunToSimulate>> runs;
  for (const FinishedRun& run : finished)
    runs[run.params].emplace(run.procs, RunToSimulate{run.dir});
  return runs;
}

/// With caches that are k times as large, a process finds in them what a process of a run with k
/// times as many processes finds in the real caches, if its data shrink as its work does. The
/// largest run shows this for the process counts up to `ahead`, each twice the one before. The run
/// before it shows it for the process count of the largest run, where it can be checked.
void ask_for_larger_caches(int ahead, std::map<int, RunToSimulate>* runs) {
  const auto largest = std::prev(runs->end());
  const auto before = std::prev(largest);
  before->second.cache_factors = {static_cast<double>(largest->first) / before->first};
  for (double factor = 2; factor / 2 * largest->first < ahead; factor *= 2)
    largest->second.cache_factors.push_back(factor);
}

std::vector<RunToSimulate> runs_of(const SimulateArguments& options) {
  std::vector<RunToSimulate> runs;
  bool some_look_ahead = false;
  for (const std::string& path : options.paths) {
    if (kind_of(path) == PathKind::kRun && options.ahead == 0) {
      runs.push_back({path});
      continue;
    }
    if (kind_of(path) != PathKind::kExperiment)
      throw InputError(
          path,
          options.ahead > 0 ? "--ahead needs an experiment" : "neither a run nor an experiment",
          "name a directory of apmt run");
    for (auto& [size, by_procs] : runs_by_size(path)) {
      if (options.ahead > 0 && by_procs.size() > 1 && by_procs.rbegin()->first < options.ahead) {
        ask_for_larger_caches(options.ahead, &by_procs);
        some_look_ahead = true;
      }
      for (auto& [procs, run] : by_procs) runs.push_back(std::move(run));
    }
  }
  for (const RunToSimulate& run : runs)
    if (!run.cache_factors.empty() && read_run_profile(run.dir / "profile.json").config.is_virtual)
      throw InputError("--ahead",
                       "the ranks of a simulated cluster take turns in one process and evict each "
                       "other's data from its caches, however many ranks there are",
                       "leave it out");
  if (options.ahead > 0 && caches_here().size() < 2)
    throw InputError("--ahead", "the sizes of this machine's caches are not known",
                     "leave it out; apmt doctor shows what the machine reports");
  if (options.ahead > 0 && !some_look_ahead)
    throw InputError("--ahead",
                     "no problem size was run at two or more process counts, all below " +
                         std::to_string(options.ahead) +
                         "; only such runs show how the data of a process shrink",
                     "leave it out, or name a larger process count");
  return runs;
}

int simulate(const SimulateArguments& options) {
  for (const auto& [run, cache_factors] : runs_of(options)) {
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
    SimulationOptions simulation = options.simulation;
    simulation.cache_factors = cache_factors;
    simulate_and_tell(launch, run, simulation);
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

RunProfile without_simulated_counters(RunProfile profile) {
  for (KernelProfile& kernel : profile.kernels) {
    kernel.larger_caches.clear();
    std::erase_if(kernel.counters, [](const auto& counter) {
      return counter.second.provenance == Provenance::kSimulated;
    });
  }
  return profile;
}

/// Simulates one run, and stores the counters in its profile.
class RunSimulator {
 public:
  RunSimulator(const LaunchOptions& launch, const fs::path& run, const SimulationOptions& options)
      : launch_(launch),
        run_(run),
        options_(options),
        measured_(without_simulated_counters(read_run_profile(run / "profile.json"))),
        machine_(machine_of(options, run)),
        counted_(measured_) {
    if (measured_.kernels.empty())
      throw InputError(
          run.string(), "no sample fell into a function of the program",
          "make the run longer; where a cluster's file says simulate_computation: false, "
          "the program's instructions are not part of the run",
          ExitCode::kNotEnoughData);
    if (measured_.config.is_virtual && options.rounds.value_or(0) > 0)
      throw InputError(
          "--sample-iterations",
          "the ranks of a simulated cluster take turns in one process, where no rounds "
          "can be told apart",
          "leave it out: the whole run is simulated");
  }

  void run() {
    int rounds = options_.rounds.value_or(kUsualRounds);
    const SimulationPlan plan = planned(rounds);
    double share = simulate(plan);
    if (plan.window && share < kEnoughOfTheRun && !options_.rounds) {
      const SimulationPlan whole = planned(0);
      logging::info("these rounds reach functions with {:.0f} % of the sampled time", 100 * share);
      if (whole.expected_s <= kLongestUnasked_s) {
        rounds = 0;
        share = simulate(whole);  // if interrupted, the counts of the rounds stay
      } else {
        logging::info("--sample-iterations 0 would simulate the whole run, in about {}",
                      counted(std::lround(whole.expected_s / 60), "minute"));
      }
    }
    if (share <= 0) {
      logging::warn("{} is unchanged: none of its sampled functions was simulated",
                    run_.lexically_normal().string());
      return;
    }
    for (const double factor : options_.cache_factors) simulate_larger_caches(rounds, factor);
    logging::info("added simulated counters to {}", run_.lexically_normal().string());
  }

 private:
  SimulationPlan planned(int rounds, double cache_factor = 1) const {
    return plan_simulation(measured_, rounds, machine_, cache_factor);
  }

  /// Adds the counters of a simulation to *profile. Returns the share of the sampled time that is
  /// in functions with counters.
  double count(const SimulationPlan& plan, RunProfile* profile) const {
    const std::vector<CallgrindProfile> ranks = simulate_ranks(launch_, plan, measured_, run_);
    const double calls_per_rank = plan.window ? plan.window->calls_per_rank : 0;
    add_simulated_counters(ranks, calls_per_rank, plan.caches, profile);
    const double share = counted_share(ranks, measured_);
    if (share > 0 && options_.prefetcher) {
      logging::info("once more, with a prefetcher");
      const SimulationPlan again = with_prefetcher(plan);
      add_demand_accesses(simulate_ranks(launch_, again, measured_, run_), calls_per_rank,
                          again.caches, profile);
    }
    return share;
  }

  double simulate(const SimulationPlan& plan) {
    tell(plan, measured_.config.procs);
    counted_ = measured_;
    const double share = count(plan, &counted_);
    if (share > 0) write_run_profile(counted_, run_ / "profile.json");
    return share;
  }

  void simulate_larger_caches(int rounds, double factor) {
    const SimulationPlan plan = planned(rounds, factor);
    if (plan.caches != larger_) {  // beyond a size, all data fit
      logging::info("once more, with larger caches: {}", plan.caches);
      with_larger_ = measured_;
      count(plan, &with_larger_);
      larger_ = plan.caches;
    }
    add_larger_caches(factor, with_larger_, &counted_);
    write_run_profile(counted_, run_ / "profile.json");
  }

  const LaunchOptions& launch_;
  const fs::path& run_;
  const SimulationOptions& options_;
  RunProfile measured_;
  std::optional<MachineProfile> machine_;
  RunProfile counted_;  // with the simulated counters
  std::string larger_;  // the last larger caches that were simulated
  RunProfile with_larger_;
};

}  // namespace

void simulate_and_tell(const LaunchOptions& launch, const fs::path& run,
                       const SimulationOptions& options) {
  RunSimulator(launch, run, options).run();
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
  verb.add_option("--ahead", options->ahead,
                  "Also learn where the data of a process begin to fit into the caches, on up to "
                  "this many processes: simulates the two largest counts of each size again, with "
                  "larger caches")
      .check(whole_number(2, 1000000000));
  verb.action([options] { return simulate(*options); });
}

}  // namespace apmt
