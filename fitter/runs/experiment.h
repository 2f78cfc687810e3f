// The runs of one program, joined: measurements by process count and problem size. Times are
// elapsed seconds. They are means over the ranks unless a comment says otherwise.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/described_struct.h"
#include "kernels/analysis.h"
#include "profile/run_profile.h"

namespace apmt {

/// One quantity over the repetitions of one point.
struct Measured {
  double value = 0;         // median over repetitions
  double rel_sigma = 0;     // standard deviation of one repetition / value; 0 when fewer than two
  double rel_sampling = 0;  // 1 / sqrt(samples) of one repetition; 0 when not sampled
  int repetitions = 0;
};

/// The parts of one point: equation (2) of the APMT paper with measured values. A part is absent if
/// it was not measured, or if its value has no meaning: on oversubscribed nodes, only comp_s of
/// sampled runs has one. At grade D (no samples), comp_s includes the time off the CPU.
struct MeasuredParts {
  std::optional<Measured> comp_s;        // outside MPI during main, on the CPU
  std::optional<Measured> comm_p2p_s;    // point-to-point calls and their completion; no waiting
  std::optional<Measured> comm_coll_s;   // collectives; no waiting
  std::optional<Measured> comm_wait_s;   // inside point-to-point calls and collectives
  std::optional<Measured> comm_other_s;  // inside the rest of MPI
  std::optional<Measured> off_cpu_s;     // outside MPI during main, not on the CPU
  std::optional<Measured> start_s;       // until MPI_Init returns
  std::optional<Measured> end_s;         // from the entry of MPI_Finalize
  double closure_s = 0;                  // elapsed minus all parts; 0 when a part is absent
  /// The compute time per rank that one sample of a run stands for; absent without samples.
  std::optional<double> one_sample_s() const;
};

/// All runs with the same process count, problem size and layout.
struct ExperimentPoint {
  int procs = 0;
  std::map<std::string, double> params;  // named problem sizes, in the user's units
  int threads_per_rank = 1;
  int nodes = 1;
  int max_ranks_per_node = 1;
  bool oversubscribed = false;    // in any repetition
  std::vector<std::size_t> runs;  // indices into Experiment::runs
  /// The lowest grade of the point's runs. If any of these runs has simulated counters, they are
  /// used for all of them, so grade C becomes B.
  Grade grade = Grade::kC;
  int simulated_runs = 0;  // how many of `runs` have simulated counters
  Measured elapsed_s;      // start to end of the longest-lived rank
  MeasuredParts parts;
  std::optional<double> load_balance;  // mean / maximum over ranks of compute time, 0..1
};

/// How the problem size depends on the process count. Used for labels and defaults.
enum class Scaling {
  kSinglePoint,  // one process count
  kStrong,       // the same sizes at every process count
  kWeak,         // one problem size per process count, and they differ
  kMixed,        // all other cases, such as several sizes at one process count
};
inline constexpr std::array kScalingNames = {"single point", "strong", "weak", "mixed"};
constexpr const auto& names_of(Of<Scaling>) { return kScalingNames; }

/// An analysis of the kernels, and the size of the run in whose folder it lies.
struct AnalysedSize {
  int procs = 0;
  std::map<std::string, double> params;
  kernels::Analysis analysis;
};

struct ExperimentOptions {
  /// True if the user says that executables with different build-ids or names are builds of the
  /// same program. Their kernels are then joined without a warning. Names that differ only by the
  /// process count (cg.B.4, cg.B.16) are always joined.
  bool same_program = false;
};

struct Experiment {
  std::string program;
  std::vector<RunProfile> runs;         // sorted by procs, params, layout, repetition
  std::vector<ExperimentPoint> points;  // sorted by procs, params, layout
  Scaling scaling = Scaling::kSinglePoint;
  Grade grade = Grade::kC;            // the lowest of the points
  bool is_virtual = false;            // any run on a simulated cluster
  std::vector<std::string> warnings;  // one sentence each
  std::vector<AnalysedSize> analyses = {};

  std::vector<int> process_counts() const;  // distinct, ascending
};

/// The processes on the fullest node; 0 if not known, as in imported runs.
int most_on_a_node(const RunConfig& config);

/// Renames the program of a run, and its executable in the ids of kernels. So a program that is
/// built for each process count or size (lu.W.2, lu.W.4) gets a single name.
void give_name(const std::string& name, RunProfile* run);

/// Joins runs. Throws InputError if there are none, or if they are of different programs.
Experiment make_experiment(std::vector<RunProfile> runs, ExperimentOptions options = {});

/// Grades the points and the experiment again, after counters were added to runs.
void grade_points(Experiment* experiment);

/// Reads every `*/profile.json` below `dir` (or `dir/profile.json` itself: a single run) and the
/// analysis.json beside it. Interrupted runs are left out if there are complete ones.
Experiment read_experiment(const std::filesystem::path& dir, const ExperimentOptions& options = {});

}  // namespace apmt
