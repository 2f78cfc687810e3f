// Machine-independent results about the kernels of a program, and their JSON form
// (docs/formats.md). The analysers fill them in; the device models and the reports read them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apmt::kernels {

/// Counts of executed instructions of canonical IR. A floating-point operation on a vector counts
/// once per lane. An atomic counts as a load and a store; a copy or fill of n bytes counts as the
/// loads and stores of a loop over eight-byte words.
struct InstructionMix {
  std::uint64_t instructions = 0;  // a fused multiply-add counts as two
  std::uint64_t alu = 0;           // scalar arithmetic, logic, addresses, conversions, selections
  std::uint64_t simd = 0;          // the same on vectors
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t fences = 0;    // fences and barriers
  std::uint64_t branches = 0;  // conditional or not
  std::uint64_t calls = 0;
  std::uint64_t loaded_bytes = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t flops = 0;      // W of the AutoMatch paper
  std::uint64_t flops_add = 0;  // W_add: additions and subtractions
  std::uint64_t flops_multiply = 0;
  std::uint64_t flops_divide = 0;
  std::uint64_t flops_special = 0;  // square roots, exponentials ...
  std::uint64_t flops_single = 0;   // in 32-bit precision
  // Of a kernel only:
  std::optional<std::uint64_t> flops_vector;  // W_vec; absent: the code was not examined
  std::optional<double> compute_per_access;   // (alu + simd) / (loads + stores)

  /// Adds `other`, multiplied by `times`.
  void add(const InstructionMix& other, std::uint64_t times = 1);
};

/// Counts of a source function: of the function itself, or of one inlined copy of it.
struct ScopeCounts {
  std::string function;  // linkage name
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::string> inlined_into;  // innermost first: "linkage name@file:line of the call"
  InstructionMix mix;
};

struct Parallelism {
  struct Width {  // the levels that have `from` to `to` operations
    std::uint64_t from = 0, to = 0, levels = 0, operations = 0;
  };
  std::uint64_t depth = 0;  // D, summed over the invocations, which run one after another
  std::uint64_t operations = 0;
  std::uint64_t levels_per_row = 1;  // above 1: this many adjacent levels share one count
  std::vector<Width> widths;
  std::vector<double> profile;  // operations per level along the depth of the first invocation
  std::uint64_t shadow_bytes = 0;
  bool is_complete = true;  // false: the limit of the shadow memory or of levels was reached
};

/// The longest chain of loads each of which takes its address from the one before, summed over the
/// invocations. Other loads can be issued early, so they wait for no latency.
struct LoadChain {
  std::uint64_t depth = 0;
  std::uint64_t unforeseen = 0;  // of these loads, those at addresses that no prefetcher foresees
  std::uint64_t shadow_bytes = 0;
  bool is_complete = true;
};

struct Locality {
  struct Distance {  // accesses whose stack distance is `from` to `to` lines
    std::uint64_t from = 0, to = 0;
    double accesses = 0;
  };
  std::uint64_t line_bytes = 64;
  std::uint64_t one_line_of = 1;  // 1: exact; n: one line in n was followed
  double accesses = 0;            // to lines
  double cold = 0;                // first accesses to a line
  std::vector<Distance> distances;
  std::uint64_t memory_bytes = 0;
  bool is_complete = true;

  /// Misses in a fully associative cache with least-recently-used replacement.
  double misses(double cache_bytes) const;
};

struct Synchronisation {
  std::uint64_t by_trip_counts = 0;        // iterations of sequential loops around parallel ones
  std::uint64_t inside_parallel = 0;       // the part inside parallel loops or work-items
  std::optional<std::uint64_t> annotated;  // number of the user's annotations, if any
  std::uint64_t shadow_bytes = 0;
  bool is_complete = true;

  /// The user's annotations if there are any, otherwise the trip counts.
  std::uint64_t global() const { return annotated.value_or(by_trip_counts); }
};

/// An idiom of a loop (docs/kernels.md) with the memory references of its statements. A reference
/// that belongs to several idioms is counted only for the first of them in LoopFacts::idioms.
struct IdiomFacts {
  std::string idiom;
  std::string file;  // file, line and code of its first statement
  std::uint32_t line = 0;
  std::string code;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t bytes = 0;      // of loads and stores
  std::optional<double> share;  // of the loop's references
};

enum class Verdict : std::uint8_t { kParallel, kSequential, kSingle };

struct LoopFacts {
  std::uint32_t id = 0;  // index in the Program
  std::optional<std::uint32_t> parent;
  std::string function;
  std::string file;
  std::uint32_t line = 0;
  std::uint64_t entries = 0;
  std::uint64_t trips = 0;  // summed over all entries
  std::uint64_t least_trips = 0;
  std::uint64_t most_trips = 0;
  Verdict verdict = Verdict::kSingle;
  std::string because;             // "memory", "register" or "annotation"
  std::uint32_t because_line = 0;  // line of the dependent read or phi; 0: unknown
  std::uint32_t depth = 1;         // 1: an outermost loop of its function
  InstructionMix mix;              // of the loop without its inner loops
  std::vector<IdiomFacts> idioms;
  std::optional<double> footprint_bytes;
};

struct BlindSpot {
  std::string callee;  // empty: called through a pointer
  std::uint64_t calls = 0;
};

/// The 28 metrics of AIWC, of the first invocation.
struct Aiwc {
  std::string work_item;  // what counts as one: "work-item", "iteration of FILE:LINE", "invocation"
  std::uint64_t opcodes = 0;
  std::uint64_t instructions = 0;
  std::uint64_t work_items = 0;
  std::uint64_t barriers = 0;
  std::uint64_t least_to_barrier = 0;
  std::uint64_t most_to_barrier = 0;
  double median_to_barrier = 0;
  std::uint64_t least_per_item = 0;
  std::uint64_t most_per_item = 0;
  double median_per_item = 0;
  std::uint64_t most_lanes = 0;
  double mean_lanes = 0;
  double sd_lanes = 0;
  std::uint64_t footprint = 0;
  std::uint64_t footprint_90 = 0;
  std::optional<std::uint64_t> unique_reads;  // in compatible mode nullopt, like the ratios below
  std::optional<std::uint64_t> unique_writes;
  std::optional<double> unique_read_write;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::optional<double> reread;
  std::optional<double> rewrite;
  double entropy = 0;
  std::vector<double> local_entropies;  // after dropping 1 to 10 low bits of the addresses
  std::uint64_t branches = 0;
  std::uint64_t branches_90 = 0;
  double yokota = 0;
  double linear = 0;           // linear branch entropy, from 0 to 1
  bool is_compatible = false;  // memory and branches reproduce the faults of the published tool
  std::uint64_t memory_bytes = 0;
  bool is_complete = true;
};

struct KernelAnalysis {
  std::string function;  // linkage name
  std::string name;
  std::string file;
  std::uint32_t line = 0;
  std::uint64_t invocations = 0;
  // If invocations were skipped: the number of followed ones, and the number of instructions by
  // which the skipped ones differ from the followed ones that they are assumed to be like, divided
  // by the instructions of all invocations.
  std::optional<std::uint64_t> followed_invocations;
  std::optional<double> skipped_difference;
  /// The largest number of threads in one invocation; 1 if the instruction mix was not analysed.
  /// Analysers that need the order of events see only the thread that began the invocation.
  std::uint64_t threads = 1;
  bool is_opencl = false;  // started by the runtime of OpenCL, not called as a function
  std::optional<InstructionMix> mix;
  std::optional<Aiwc> aiwc;
  std::optional<Parallelism> floating_point;
  std::optional<Parallelism> all_operations;
  std::optional<LoadChain> load_chain;
  std::optional<Locality> locality;
  std::optional<Locality> sampled_locality;
  std::optional<Synchronisation> synchronisation;
  std::vector<LoopFacts> loops;
  std::vector<BlindSpot> blind_spots;
};

struct Analysis {
  std::string program;                 // the command
  std::uint64_t processes = 0;         // number of processes counted; 0: not known (older file)
  std::vector<std::string> analysers;  // names; empty: the run only counted blocks
  std::vector<KernelAnalysis> kernels;
  std::vector<ScopeCounts> scopes;  // of the whole run
  std::uint64_t copied_to_device_bytes = 0;
  std::uint64_t copied_from_device_bytes = 0;
};

std::string analysis_to_json(const Analysis& analysis);
/// read_analysis() and write_analysis() throw InputError.
Analysis read_analysis(const std::filesystem::path& path);
void write_analysis(const Analysis& analysis, const std::filesystem::path& path);

}  // namespace apmt::kernels
