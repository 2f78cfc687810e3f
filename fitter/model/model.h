// The model of a program, learned from an experiment: its kernels, a law for each part of equation
// (2) of the APMT paper, and how far these laws can be trusted. It is stored as model.json;
// prediction.h predicts from it.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "base/described_struct.h"
#include "fitter/laws/time_law.h"
#include "fitter/runs/costliest_call.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Names of methods; the method of a model says which kind of laws it has.
inline constexpr const char* kOwnMethod = "apmt";
inline constexpr const char* kPaperMethod = "paper";  // paper_forms.h

enum class KernelRole {
  kCritical,     // its share of compute time, or of the run in MPI calls, is above the threshold
  kNonScalable,  // its time per rank does not fall with the work per rank
  kRest,         // all other functions together
};
inline constexpr std::array kKernelRoleNames = {"critical", "non-scalable", "rest"};
constexpr const auto& names_of(Of<KernelRole>) { return kKernelRoleNames; }

/// The value of one cost in the most probable combination of all costs of the program, which is the
/// mode of their joint distribution (cost_mode.h).
struct CostEstimate {
  double value = 0;
  std::optional<double> ln_sd;  // standard deviation of ln value; absent: not determined
};

/// How a kernel's time depends on its accesses to memory. c: the core's cost * computation;
/// unhidden_s and transfers_s: see memory_evidence.h.
enum class MemoryForm {
  kWaits,    // c + memory * unhidden_s: the core waits for accesses
  kLate,     // c + memory * transfers_s: it waits for prefetched data that arrive late
  kStreams,  // max(c, memory * transfers_s): the bandwidth limits the time
};
inline constexpr std::array<MemoryForm, 3> kMemoryForms = {MemoryForm::kWaits, MemoryForm::kLate,
                                                           MemoryForm::kStreams};
inline constexpr std::array kMemoryFormNames = {"waits", "late", "streams"};
constexpr const auto& names_of(Of<MemoryForm>) { return kMemoryFormNames; }

/// The costs of core and memory in one kernel.
struct KernelCostEstimates {
  MemoryForm form = MemoryForm::kWaits;  // the likeliest
  double form_probability = 0;
  CostEstimate core_s;  // per instruction, or per floating-point operation
  /// By `form`: the blocking factor of accesses, the share of transfers for which the core waits,
  /// or the kernel's own factor on transfers. The shared factor on latency (kWaits) or on transfers
  /// (the other forms) multiplies it (SharedCostEstimates).
  CostEstimate memory;
};

/// The costs of the machine's memory, relative to those of its profile (or to assumed ones).
struct SharedCostEstimates {
  CostEstimate latency;
  CostEstimate transfer;  // factor on the seconds per byte
};

/// A counter of one kernel, over all ranks ("instructions", "acc_mm").
struct MetricModel {
  std::string metric;
  Provenance provenance = Provenance::kHardware;
  std::vector<FitPoint> points;
  CountLaw law;
  /// Counts at more processes, over all ranks, as simulations with larger caches foresee them
  /// (kernel_counts.h).
  std::vector<FitPoint> ahead = {};
};

/// CPI_core and memory blocking, separated by apmt refine, and the values that they replaced.
struct CpiRefinement {
  /// "frequencies": one process count and size at several core frequencies; "spread": runs whose
  /// accesses per instruction differ (other process counts or sizes).
  std::string from;
  double frequency_hz = 0;  // of the runs from which the model was made; 0: not known
  double cpi_core = 0;
  double cpi_core_se = 0;  // standard error
  /// Seconds per instruction for which memory beyond the core's clock blocks the core.
  double blocked_s = 0;
  double blocked_s_se = 0;
  std::optional<double> bf_mem;  // of this memory; absent without counts of accesses
  std::optional<double> bf_mem_se;
  double r_squared = 0;
  /// From equation (3) of the APMT paper: the CPI without stalled cycles (or with them if stalls
  /// were not counted), and the blocking factor of all levels of memory.
  std::optional<double> cpi_before;
  std::optional<double> bf_before;
};

/// The MPI calls of one kernel: transfer, and waiting for other ranks.
struct OwnCalls {
  struct Share {
    std::string part;  // as in CommModel
    std::string group;
    double share = 0;  // 0..1
  };
  /// The share of the kernel's calls in the time of each law of communication. It is taken at one
  /// point: the one with the most processes, of all points that have more than one process and are
  /// not oversubscribed. Laws in whose time the kernel has no share are absent.
  std::vector<Share> shares;
  std::vector<FitPoint> transfer_points;  // seconds per rank; without waiting
  std::vector<FitPoint> wait_points;
  bool any() const { return !shares.empty(); }
  double share(const std::string& part, const std::string& group) const;
};

struct KernelModel {
  KernelId id;       // all empty for the rest
  std::string name;  // for people; "(rest)" for the aggregate
  KernelRole role = KernelRole::kCritical;
  int functions = 1;             // number of functions that this kernel stands for
  double max_share = 0;          // largest share of compute time at any point, 0..1
  std::vector<FitPoint> points;  // CPU seconds per rank; with threads, scaled to elapsed time
  TimeLaw law;
  std::vector<MetricModel> metrics;  // counters other than CPU time; empty if none was counted
  std::optional<KernelCostEstimates> costs;  // if accesses were counted
  std::optional<CpiRefinement> refined;
  OwnCalls calls;
};

/// Calls and bytes of one MPI operation, over all ranks.
struct CountModel {
  std::string op;                      // "MPI_Allreduce"
  std::string op_class;                // as in the MPI table
  std::vector<FitPoint> calls_points;  // calls with a partner, all ranks
  std::vector<FitPoint> bytes_points;  // bytes sent (or received if none is sent), all ranks
  CountLaw calls;
  CountLaw bytes;
};

/// Names of the groups of messages.
inline constexpr const char* kBlocking = "blocking messages";
inline constexpr const char* kExchange = "MPI_Sendrecv";
inline constexpr const char* kNonBlocking = "non-blocking messages";
/// The groups of operations that take little time.
inline constexpr const char* kOtherMessages = "other messages";
inline constexpr const char* kOtherCollectives = "other collectives";
/// The groups of calls in which processes wait. If only one of the two is called, its name is used.
inline constexpr const char* kAlongTrees = "MPI_Bcast and MPI_Reduce";
inline constexpr const char* kOtherWaiting = "other calls";

/// One part of communication, or one group of its calls. `law` is absent when no usable time was
/// measured.
struct CommModel {
  std::string part;              // "p2p", "coll", "wait", "other"
  std::string group = {};        // calls with a law of their own; empty: the whole part
  std::vector<FitPoint> points;  // seconds per rank
  std::optional<TimeLaw> law;
  /// The operations of the group. Without a group: the operations whose counts may explain the
  /// time.
  std::vector<std::string> ops;
};

/// A part that is fitted as one time, without counts: off-CPU time, start or end.
struct PartModel {
  std::vector<FitPoint> points;  // seconds per rank
  std::optional<TimeLaw> law;    // absent when not measured
};

/// A reference model (Nan et al., Worley et al., as in the APMT paper), fitted to the total times
/// of the points.
struct Baseline {
  std::string name;                  // "analytical", "empirical", "power law"
  std::string formula;               // "a*D/P + b", for people
  std::vector<double> coefficients;  // in the formula's order
  double time_s(double procs, double work) const;
};

/// One law of the paper's method, for people.
struct PaperForm {
  std::string of;       // the kernel's name, "T_p2p", "T_collective", "T_start", "T_end"
  std::string formula;  // seconds per process
  double r_squared = 0;
  std::string note;  // what the form was assembled from; may be empty
};

/// The rank that computes most, and where.
struct SlowestRank {
  int rank = 0;
  double beyond_mean_s = 0;  // its time outside MPI minus the mean of all ranks
  std::string kernel = {};   // the kernel with most of this excess
  double in_kernel_s = 0;
};

/// The MPI operation in which ranks wait longest for other ranks, and the function that calls it.
struct LongestWait {
  std::string op;      // "MPI_Allreduce"
  std::string caller;  // empty if it is not known
  double wait_s = 0;   // seconds per rank
  double share = 0;    // share of all waiting for other ranks
};

/// One profiled point: what was measured and what the model says about it.
struct ModelPoint {
  int procs = 0;
  std::map<std::string, double> params;
  double work = 1;
  bool oversubscribed = false;
  int repetitions = 0;
  int simulated_runs = 0;              // repetitions with simulated counters
  double elapsed_s = 0;                // measured
  double rel_sigma = 0;                // of elapsed_s over repetitions; 0 when unknown
  double known_s = 0;                  // sum of the measured parts for which there are laws
  bool complete = true;                // every part that has a law was measured here
  double fitted_s = 0;                 // sum of the model's laws at this point
  MeasuredParts parts;                 // closure_s: the residual with measured values
  double coverage = 0;                 // share of compute time in kernels with a law of their own
  std::optional<double> load_balance;  // mean / maximum over ranks of compute time
  int busy_cores = 1;                  // of the fullest node
  std::optional<SlowestRank> slowest;
  std::optional<LongestWait> longest_wait;
  std::optional<CostliestCall> costliest_other_call = {};
  double wait_chain = 0;  // how well waiting along a chain of ranks describes the waiting, 0..1
};

/// A prediction for the largest profiled process count, by a model that was fitted without it.
struct Backtest {
  bool possible = false;
  std::string note;  // why it is not possible, or how few points it used
  int procs = 0;
  std::vector<int> from_procs;
  double measured_s = 0;  // sum of the parts that were both predicted and measured
  double time_s = 0;
  double low_s = 0;
  double high_s = 0;
  double error = 0;  // time_s / measured_s - 1
  bool covered = false;
  std::map<std::string, double> baseline_errors;  // by Baseline::name
};

struct FitSummary {
  int functions = 0;  // seen in any run
  int critical_kernels = 0;
  int non_scalable_kernels = 0;
  double min_coverage = 0;  // over the profiled points, 0..1
  int exact_count_laws = 0;
  int count_laws = 0;
};

/// The warning that too little compute time is in kernels with a law of their own; empty if there
/// is enough.
std::string coverage_warning(const FitSummary& summary);

struct Model {
  static constexpr const char* kFormat = "apmt-model";
  static constexpr int kMajor = 2;

  std::string program;
  Grade grade = Grade::kC;
  Scaling scaling = Scaling::kSinglePoint;
  std::string method = kOwnMethod;
  std::vector<PaperForm> paper_forms;  // of kPaperMethod
  bool is_virtual = false;
  double threshold = 0.05;
  std::string work;  // the expression in use; empty when there is no problem size
  std::vector<std::string> param_names;
  int cores_per_node = 0;              // 0: unknown
  std::optional<double> frequency_hz;  // of the cores, median over the runs; absent: not measured
  std::string memory_costs;            // source of the costs of memory accesses; empty: assumed
  std::optional<SharedCostEstimates> shared_costs;  // if accesses of any kernel were counted
  int max_nodes = 1;                                // largest number of nodes in any run
  std::vector<ModelPoint> points;                   // sorted by procs, params, layout
  std::vector<KernelModel> kernels;  // by falling time at the largest process count, the rest last
  std::vector<CommModel> comm;       // p2p, coll, wait, other
  std::vector<CountModel> counts;    // by op
  PartModel off_cpu;
  PartModel start;
  PartModel end;
  std::vector<Baseline> baselines;
  Backtest backtest;
  FitSummary summary;
  std::vector<std::string> warnings;

  int max_procs() const;
  int min_procs() const;
  std::vector<int> process_counts() const;  // distinct, ascending
  /// one_sample_s() at the sampled point with the nearest process count.
  std::optional<double> one_sample_s(int procs) const;
  /// The measured times of a part of communication ("p2p", "coll", ...): sums over its groups.
  std::vector<FitPoint> comm_points(const std::string& part) const;
};

/// Whether only total times are known, as after an import of totals. The time in MPI is then
/// unknown.
bool knows_only_wholes(const Model& model);

Json to_json(const Backtest& test);
Json to_json(const Model& model);
Model model_from_json(const Json& json, const std::string& file);
Model read_model(const std::filesystem::path& path);
void write_model(const Model& model, const std::filesystem::path& path);

}  // namespace apmt
