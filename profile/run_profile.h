// The profile of one run of one program: the recordings of its ranks, merged and symbolised. The
// reader (profiler/reader) makes it; all later stages use it. Its file is profile.json;
// docs/formats.md explains the fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "profile/communication.h"
#include "profile/run_details.h"

namespace apmt {

/// Sampling::source and Counter::event in a profile that was imported from another tool.
inline constexpr const char* kImported = "imported";

/// What was measured. A: MPI calls and hardware counters; B: MPI calls, samples by a clock, and
/// simulated or derived counters; C: MPI calls and samples by a clock; D: MPI calls only.
enum class Grade { kA, kB, kC, kD };
enum class Provenance { kHardware, kClock, kSimulated, kDerived, kAssumed };

std::string to_string(Grade grade);
std::string to_string(Provenance provenance);
Grade grade_from(const JsonAt& json);
Provenance provenance_from(const JsonAt& json);

/// What distinguishes this run from the others of its experiment.
struct RunConfig {
  int procs = 0;
  std::map<std::string, double> params;  // named problem sizes, in the user's units
  int repetition = 1;
  int threads_per_rank = 1;
  int nodes = 1;
  int max_ranks_per_node = 1;
  bool oversubscribed = false;         // more ranks on a node than CPUs they may use
  bool is_virtual = false;             // a simulated cluster
  std::optional<double> frequency_hz;  // as measured while running, not as configured
};

/// One number per rank, as a column.
struct Column {
  std::vector<double> per_rank;
  double total() const;
  double mean() const;
  double min() const;
  double max() const;
};

/// The count of an event in one kernel. The count of rank r is samples[r] * unit_per_sample, times
/// scale[r] if `scale` is not empty.
struct Counter {
  Provenance provenance = Provenance::kClock;
  std::string event;                   // the native event's name
  double unit_per_sample = 0;          // seconds for "cpu_s", counts for "instructions", ...
  std::vector<std::uint64_t> samples;  // one per rank
  double measured_fraction = 1;    // counted for this share of time, allowed for in unit_per_sample
  std::vector<double> scale = {};  // factor per rank, from its threads' CPU clocks; empty: 1
  /// Per rank: one signal may stand for n samples; this is the sum of n^2 over all signals. Empty:
  /// every signal stood for one sample.
  std::vector<std::uint64_t> squares = {};
  double rank_value(std::size_t rank) const;
  double total() const;  // over ranks
  std::uint64_t total_samples() const;
  /// The number of independent samples that would have the same relative uncertainty.
  double independent_samples() const;
};

/// Identifies the same function in every run and on every machine.
struct KernelId {
  std::string object;        // file name of the executable or library, without directory
  std::string linkage_name;  // as in the symbol table, clone suffixes removed
  std::string source;        // source file without directory, empty when unknown
  auto operator<=>(const KernelId&) const = default;
};

/// A source line with many samples, within a kernel.
struct LineProfile {
  std::string
      inlined;         // demangled name of the function inlined there; empty: the kernel's own code
  std::string source;  // file without directory
  int line = 0;
  std::uint64_t samples = 0;  // over ranks and events
};

/// CPU time in a function that the compiler inlined into a kernel, without the functions that were
/// inlined into that function.
struct InlinedProfile {
  std::vector<std::string> functions;  // linkage names, from the outermost to this one
  double cpu_s = 0;                    // over ranks
};

/// Simulated counts of a kernel, summed over ranks, if all caches were `factor` times as large.
/// They tell what a process of a run with `factor` times as many processes finds in the real
/// caches, if its data shrink as its work does.
struct LargerCaches {
  double factor = 1;
  std::map<std::string, double> counts;  // by metric: "hit_core", "hit_LLC", "acc_mm", ...
};

struct KernelProfile {
  KernelId id;
  std::string name;                         // demangled, for people
  std::string build_id;                     // of the object, hexadecimal, empty when it has none
  std::map<std::string, Counter> counters;  // by metric: "cpu_s", "instructions", "cycles", ...
  std::vector<LineProfile> lines;  // the ten with most samples; empty without debug information
  std::vector<InlinedProfile> inlined =
      {};  // sorted; a function with little time is counted in its caller
  std::vector<LargerCaches> larger_caches = {};  // by increasing factor
};

/// One row of the MPI table, summed over ranks.
struct MpiRow {
  std::string op;        // "MPI_Allreduce"
  std::string op_class;  // "p2p", "completion", "collective", "rooted", "one-sided", "io", "other"
  std::int64_t comm_size = 0;  // 0: no communicator
  int size_class = 0;          // 0: zero bytes; c: 2^(c-1) <= bytes < 2^c per call
  std::string peer;    // "none", "same-node", "other-node", "mixed"; "nobody": MPI_PROC_NULL
  std::string caller;  // name of the calling function, empty when unknown
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  double time_s = 0;     // inside the call
  double blocked_s = 0;  // the part of it in which the rank could do nothing else
  double min_s = 0;
  double max_s = 0;
  /// The estimated time of one call that sends or awaits a message, without the waiting for a late
  /// partner (profiler/reader/call_durations.h). Absent: not known.
  std::optional<double> message_s = {};
  std::uint64_t arrivals =
      0;  // if message_s is known: how many calls sent a message or waited for one
};

struct PeerRow {
  int from = 0;  // world ranks
  int to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  int to_last = to;  // if greater than `to`: the row is the sum over receivers `to` to `to_last`
};

/// Times of each rank, by the wall clock unless the name says CPU. "main" lasts from MPI_Init's
/// return to MPI_Finalize's entry.
struct RankTimes {
  Column wall_s;      // start to end of the process
  Column init_s;      // start to the return of MPI_Init
  Column finalize_s;  // entry of MPI_Finalize to the end
  Column main_s;
  Column mpi_s;          // inside MPI during main
  Column mpi_p2p_s;      // the part of mpi_s in point-to-point calls and their completion
  Column mpi_coll_s;     // the part of mpi_s in collectives
  Column mpi_other_s;    // the rest of mpi_s
  Column main_cpu_s;     // CPU time of the process during main
  Column sampled_cpu_s;  // CPU time outside MPI during main, from samples
  Column frequency_hz;   // of the cores that ran the rank, over all its threads; 0: not measured
};

struct HostInfo {
  std::string name;
  std::string cpu_model;
  int usable_cpus = 0;
  int ranks = 0;
  std::string kernel = {};  // release of the operating system's kernel
};

/// Where a rank ran.
struct Placement {
  int cpu = -1;          // when MPI_Init returned; -1: unknown
  std::string affinity;  // CPUs it may use: "0-3,8"
};

struct Sampling {
  std::string source;  // "hardware", "task-clock", "posix-timer", "none"; kImported
  std::string event;
  double interval_s = 0;  // 0: the event's period is not a time
  std::uint64_t samples = 0;
  std::uint64_t dropped = 0;  // samples lost because the table was full
  /// How sets of events are distributed: over "ranks" (and repetitions) or over "time"; empty if
  /// there is one set only.
  std::string rotation = {};
  std::vector<EventTotal> totals = {};  // of the events whose counters can be read
};

/// Limits to the validity of the numbers.
struct Health {
  int ranks_expected = 0;
  int ranks_present = 0;
  int ranks_cut_off = 0;      // killed, crashed, left by _exit or running before MPI_Finalize
  int ranks_aborted = 0;      // called MPI_Abort
  int ranks_unfinalized = 0;  // exited normally, but without MPI_Finalize
  std::uint64_t table_drops = 0;
  double overhead_fraction = 0;  // calibrated cost of recording / run time; largest of all ranks
  double before_init_s = 0;      // from start to the call to MPI_Init; the longest of all ranks
  /// On a virtual cluster: CPU time of threads that the ranks created, which are not simulated.
  double created_threads_s = 0;
  std::vector<std::string> notes;
  int ranks_running = 0;  // the part of ranks_cut_off that may still have been running
};

struct RunProfile {
  static constexpr const char* kFormat = "apmt-run-profile";
  static constexpr int kMajor = 1;

  std::string program;      // base name of the executable
  std::string build_id;     // of the executable, hexadecimal; empty: it has none, or not known
  std::string command;      // command line of rank 0
  std::string mpi_library;  // first line of MPI_Get_library_version; empty without MPI
  std::string started_at;   // ISO 8601, UTC
  RunConfig config;
  Grade grade = Grade::kC;
  std::map<std::string, std::string> environment;  // only variables listed in docs/environment.md
  std::vector<HostInfo> hosts;
  std::vector<int> host_of_rank;
  std::vector<Placement> placement;  // of each rank
  RankTimes times;
  Sampling sampling;
  std::vector<KernelProfile> kernels;  // outside MPI, during main; sorted by id
  std::vector<MpiRow> mpi;             // during main
  std::vector<PeerRow> peers;          // sorted by (from, to)
  Communication communication;         // summary of the MPI calls
  std::vector<ThreadRow> threads;      // by rank
  OwnCost own_cost;
  Libraries libraries;
  std::vector<ImportedValue> imported = {};  // sorted; empty unless another tool measured
  Health health;

  /// Throws InputError that names the place if a rule of the format is broken.
  void check(const std::string& file) const;
};

Json to_json(const RunProfile& profile);
RunProfile run_profile_from_json(const Json& json, const std::string& file);
RunProfile read_run_profile(const std::filesystem::path& path);
void write_run_profile(const RunProfile& profile, const std::filesystem::path& path);

}  // namespace apmt
