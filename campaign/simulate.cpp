#include "campaign/simulate.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "base/input_error.h"
#include "base/words.h"
#include "campaign/launching/supervised.h"
#include "machine/topology.h"
#include "profiler/simulated/copies.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

// Callgrind's slow-down factors and its time to start, as observed with several kinds of programs.
// They serve to estimate the duration of a simulation.
constexpr double kSlowdown = 60;           // in callgrind, while it counts
constexpr double kSlowdownUncounted = 10;  // before the rounds that are counted
constexpr double kStart_s = 5;             // to start the program in callgrind

constexpr const char* kDumpSuffix = ".callgrind.1";  // the first dump, made by the recorder

/// A simulated cache. valgrind requires that the number of sets is a power of two. So the number of
/// ways is chosen, from 8 to 15, such that the size is close to that of the real cache.
struct Geometry {
  std::uint64_t ways = 8;
  std::uint64_t sets = 1;
  std::uint64_t line_bytes = 64;
  std::uint64_t size_bytes() const { return ways * sets * line_bytes; }
  std::string option(const char* level) const {
    return std::string("--") + level + "=" + std::to_string(size_bytes()) + "," +
           std::to_string(ways) + "," + std::to_string(line_bytes);
  }
};

constexpr std::uint64_t kLargest = 1 << 30;  // valgrind refuses caches of 2 GiB

Geometry geometry_of(std::uint64_t size_bytes, std::uint64_t line_bytes) {
  size_bytes = std::min(size_bytes, kLargest);
  const std::uint64_t lines = std::max<std::uint64_t>(size_bytes / line_bytes, 8);
  const std::uint64_t sets = std::bit_floor(lines / 8);
  return {lines / sets, sets, line_bytes};
}

std::string kib(std::uint64_t bytes) { return std::to_string(bytes >> 10) + " KiB"; }

/// The ranks on the fullest node of a run with `factor` times as many ranks. If the measured run
/// was on one node, more ranks first fill this node, which is like this machine.
int ranks_per_node(const RunProfile& measured, const std::optional<MachineProfile>& machine,
                   double factor) {
  const int now = std::max(1, measured.config.max_ranks_per_node);
  if (measured.config.nodes > 1) return now;
  const int cores = machine && machine->cores > 0
                        ? machine->cores
                        : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const int most = std::max(now, cores / std::max(1, measured.config.threads_per_rank));
  return static_cast<int>(std::clamp(factor * now, double(now), double(most)));
}

/// The share of a core's cache that data can use. Pages of memory are placed at random, so some
/// sets of the cache hold more of a program's data than they have ways for, and others less; and
/// the program, the stack and tables of pages need space, too. The size of the last level is
/// measured (apmt calibrate).
constexpr double kUsable = 0.75;

/// Chooses the two caches of the simulation. The first is the largest cache that runs at the core's
/// clock (the level before the last), because the model counts time in that cache as computation
/// and not as waiting. The second is the last level. The ranks of a node share it, so each gets its
/// part of the size. Each rank gets `factor` times the caches of a run with `factor` times as many
/// ranks.
void choose_caches(const RunProfile& measured, const std::optional<MachineProfile>& machine,
                   double factor, SimulationPlan* plan) {
  const std::vector<Cache> caches = caches_here();
  if (caches.size() < 2) return;
  const Cache& core = caches[caches.size() - 2];
  const MemoryLevel* known = machine ? machine->level("LLC") : nullptr;
  const bool is_measured = known != nullptr && known->knee_bytes;
  const std::uint64_t whole =
      is_measured ? static_cast<std::uint64_t>(*known->knee_bytes) : caches.back().size_bytes;
  const auto larger = [factor](double size_bytes) {
    return static_cast<std::uint64_t>(std::llround(factor * size_bytes));
  };
  const Geometry first =
      geometry_of(larger(kUsable * static_cast<double>(core.size_bytes)), core.line_bytes);
  const auto ranks = static_cast<std::uint64_t>(ranks_per_node(measured, machine, factor));
  const Geometry last =
      geometry_of(larger(static_cast<double>(std::max(whole / ranks, core.size_bytes))),
                  caches.back().line_bytes);
  plan->cache_options = {first.option("D1"), last.option("LL")};
  plan->caches = core.name + " " + kib(first.size_bytes()) + ", last level " +
                 kib(last.size_bytes()) + (is_measured && factor == 1 ? " as measured" : "");
}

/// The position of the program in the command; valgrind is inserted before it.
std::size_t program_word(const std::vector<std::string>& command, const Target& target) {
  for (std::size_t i = 0; i < command.size() && target.program; ++i) {
    const auto executable = find_executable(command[i]);
    if (executable && executable->path == target.program->path) return i;
  }
  throw InputError(command.front(), "the command contains no program that can be simulated",
                   "name the program itself, not a script that starts it");
}

/// Inserts smpirun's option -wrapper. With it, smpirun starts its process, which contains all
/// ranks, by another command (valgrind). smpirun splits the text of this command at blanks.
std::vector<std::string> with_wrapper(std::vector<std::string> command,
                                      const std::vector<std::string>& wrapper) {
  const auto smpirun = std::find_if(command.begin(), command.end(), [](const std::string& word) {
    return fs::path(word).filename() == "smpirun";
  });
  if (smpirun == command.end())
    throw InputError(command.front(), "the command has no smpirun that valgrind could be put into",
                     "name smpirun itself, not a script that starts it");
  std::string words;
  for (const std::string& word : wrapper) {
    if (word.find(' ') != std::string::npos)
      throw InputError(word, "smpirun splits what it runs at blanks",
                       "simulate in a folder whose path has none");
    words += (words.empty() ? "" : " ") + word;
  }
  command.insert(smpirun + 1, {"-wrapper", words});
  return command;
}

std::vector<std::string> with_valgrind(const PreparedLaunch& launch, const SimulationPlan& plan,
                                       const fs::path& scratch) {
  std::vector<std::string> valgrind = {
      "valgrind",
      "--tool=callgrind",
      "--instr-atstart=no",
      "--cache-sim=yes",
      "--branch-sim=yes",
      "--demangle=no",
      "--log-file=" + (scratch / "%p.log").string(),
      "--callgrind-out-file=" + (scratch / "%p.callgrind").string()};
  valgrind.insert(valgrind.end(), plan.cache_options.begin(), plan.cache_options.end());
  std::vector<std::string> command = launch.command;
  if (launch.target.family == MpiFamily::kSmpi) return with_wrapper(std::move(command), valgrind);
  const auto at = static_cast<std::ptrdiff_t>(program_word(command, launch.target));
  command.insert(command.begin() + at, valgrind.begin(), valgrind.end());
  return command;
}

std::vector<fs::path> dumps_in(const fs::path& scratch) {
  std::vector<fs::path> dumps;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(scratch, ignored))
    if (entry.path().filename().string().ends_with(kDumpSuffix)) dumps.push_back(entry.path());
  return dumps;
}

std::string last_line(const fs::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last;
}

/// A folder that is removed when this object is destroyed.
class Scratch {
 public:
  explicit Scratch(const fs::path& experiment)
      : path_(fs::absolute(experiment) / (".simulating-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

SimulationPlan plan_simulation(const RunProfile& measured, int rounds,
                               const std::optional<MachineProfile>& machine, double cache_factor) {
  SimulationPlan plan;
  const bool take_turns = measured.config.is_virtual;  // all ranks in one process; no window
  if (rounds > 0 && !take_turns) plan.window = choose_window(measured, rounds);
  const double main_s =
      take_turns ? measured.times.main_cpu_s.total() : measured.times.main_s.max();
  plan.expected_s = kStart_s;
  if (plan.window) {
    const double round_s = main_s / plan.window->calls_per_rank;
    plan.expected_s += kSlowdownUncounted * round_s * static_cast<double>(plan.window->first) +
                       kSlowdown * round_s * (rounds + 1);
  } else {
    plan.expected_s += kSlowdown * main_s;
  }
  choose_caches(measured, machine, cache_factor, &plan);
  return plan;
}

SimulationPlan with_prefetcher(SimulationPlan plan) {
  plan.cache_options.emplace_back("--simulate-hwpref=yes");
  if (!plan.caches.empty()) plan.caches += ", ";
  plan.caches += "with a prefetcher";
  return plan;
}

std::vector<CallgrindProfile> simulate_ranks(const LaunchOptions& launch,
                                             const SimulationPlan& plan, const RunProfile& measured,
                                             const fs::path& run,
                                             const std::function<void(double)>& on_second) {
  if (!find_executable("valgrind"))
    throw InputError("valgrind", "not found; counters are simulated by its tool callgrind",
                     "install valgrind where the program runs", ExitCode::kFailed);
  const bool share_a_process = measured.config.is_virtual;
  const auto processes =
      share_a_process ? std::size_t{1} : static_cast<std::size_t>(measured.config.procs);
  const Scratch scratch(run.parent_path());
  LaunchOptions options = launch;
  options.experiment = scratch.path();
  options.source = "none";
  options.events = {};
  options.simulate = plan.window ? plan.window->text() : "whole";
  PreparedLaunch prepared = prepare_launch(options);
  std::string started_as;  // the name of the program's copies, if the ranks share a process
  if (share_a_process) {
    const fs::path program = prepared.command[program_word(prepared.command, prepared.target)];
    started_as = program.filename().string();
  }
  prepared.command = with_valgrind(prepared, plan, scratch.path());

  const fs::path output = scratch.path() / "output.txt";
  InterruptionsHeld interruptions;
  const Supervised ended =
      run_supervised([&] { exec_prepared(prepared); }, output, &interruptions,
                     [&](double elapsed_s) {
                       if (on_second) on_second(elapsed_s);
                       // When all ranks have dumped the counts of the simulated rounds
                       // (plan.window), the rest of the run is not needed.
                       return !plan.window || dumps_in(scratch.path()).size() < processes;
                     });
  std::vector<CallgrindProfile> ranks;
  for (const fs::path& dump : dumps_in(scratch.path())) ranks.push_back(read_callgrind_file(dump));
  if (interruptions.received() != 0)
    throw InputError(run.string(), "the simulation was interrupted; the profile is unchanged", {},
                     ExitCode::kFailed);
  if (ranks.size() < processes)
    throw InputError(run.string(),
                     "only " + std::to_string(ranks.size()) + " of " +
                         counted(processes, "simulated process", "simulated processes") +
                         " left counts; the command ended with exit code " +
                         std::to_string(ended.exit_code) +
                         " and this last line: " + last_line(output),
                     {}, ExitCode::kFailed);
  if (ranks.front().is_of_all_ranks != share_a_process)
    throw InputError(run.string(), "only one of the run and its command is on a simulated cluster");
  if (share_a_process && ranks.front().ranks != measured.config.procs)
    throw InputError(run.string(), "the simulation counted " +
                                       counted(ranks.front().ranks, "rank") + ", and the run has " +
                                       std::to_string(measured.config.procs));
  return share_a_process ? by_copy(ranks.front(), measured.program, started_as) : ranks;
}

}  // namespace apmt
