// Joins two builds of a program: the recorded one, which has times, and the analysed one, which has
// counts. They come from different compilers, which name, split and inline functions differently. A
// place is a function or an inlined copy of it; PlaceIndex finds the places of the recorded build
// to which the counts of the other build belong.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/runs/experiment.h"
#include "kernels/analysis.h"
#include "profile/run_profile.h"

namespace apmt {

/// Names of functions in the source, the innermost first: each is inlined into the next.
using InlineChain = std::vector<std::string>;

/// The path without directories, as KernelId::source.
std::string file_name(const std::string& path);

/// A function, or one inlined copy of it, in the recorded program.
struct RecordedPlace {
  KernelId id;         // of the kernel that contains it
  std::string source;  // of the kernel, empty when unknown
  InlineChain names;   // the last is the kernel
  double cpu_s = 0;    // summed over ranks, without what is inlined into it
};

/// The functions for which an analysis has counts.
class CountedFunctions {
 public:
  explicit CountedFunctions(const kernels::Analysis& analysis);
  bool has(const std::string& name) const { return names_.contains(name); }
  /// The name of a recorded function in the analysis. gfortran's name may be "inner" where flang's
  /// is "mod::work::inner"; they match if no other function is called "inner".
  std::string name_of(const std::string& linkage_name) const;

 private:
  std::set<std::string> names_;
  std::map<std::string, std::set<std::string>> by_simple_name_;
};

/// The functions of a run and everything that was inlined into them, including places without time.
std::vector<RecordedPlace> recorded_places(const RunProfile& run, const CountedFunctions& counted);

/// Finds the places in the recorded program to which the counts of a scope belong. A scope is a
/// function of the analysed program, or one inlined copy of it (kernels::ScopeCounts).
class PlaceIndex {
 public:
  struct Part {
    std::size_t place = 0;  // index of a RecordedPlace
    double share = 0;       // of the scope's counts
  };

  explicit PlaceIndex(const std::vector<RecordedPlace>& places);

  /// The shares add up to 1. The result is empty if no recorded place belongs to the scope or to a
  /// function around it.
  std::vector<Part> parts_of(const kernels::ScopeCounts& scope) const;

 private:
  /// The places whose inline chains have the most functions in common with `chain`, counted from
  /// the innermost one. A chain that begins with all of `chain`, or is its beginning, takes
  /// precedence. `file` is the source file of the innermost function of `chain`.
  std::vector<std::size_t> best_places(const InlineChain& chain, const std::string& file) const;

  const std::vector<RecordedPlace>& places_;
  std::map<std::string, std::vector<std::size_t>> by_name_;  // of the innermost function
};

/// If less than this share of the compute time is joined, the joined part is not representative of
/// the program.
inline constexpr double kEnoughJoined = 0.95;

/// Counts of canonical IR (LLVM's intermediate representation before vectorisation). Its
/// instructions are not those of the recorded program.
struct JoinedCounts {
  double flops = 0;
  double loads = 0;
  double stores = 0;
  double loaded_bytes = 0;
  double stored_bytes = 0;
  double ir_instructions = 0;

  double bytes() const { return loaded_bytes + stored_bytes; }
  void add(const kernels::InstructionMix& mix, double times);
};

/// A recorded function with its clones and outlined parts, and with everything that was inlined
/// into them. Times are CPU seconds over all ranks.
struct JoinedFunction {
  std::string name;                // in the source
  std::vector<KernelId> ids = {};  // its kernels in the profile
  double cpu_s = 0;
  double joined_s = 0;  // the part of cpu_s in functions that the analysis counted
  JoinedCounts counts = {};
};

struct MissingTime {
  std::string name;
  std::string object;
  double cpu_s = 0;
  std::string reason;
};

/// A counted function whose code has no recorded time.
struct UnplacedCounts {
  std::string name;
  JoinedCounts counts;
};

struct KernelJoin {
  std::string program;  // the analysed command
  std::string command;  // the recorded one
  double cpu_s = 0;     // the run's compute time
  double joined_s = 0;
  /// The part of `joined_s` in inlined functions that the analysis does not name. The analysis has
  /// the counts of such a function under the function that contains it.
  double by_caller_s = 0;
  double ir_instructions = 0;         // all that were counted
  double placed_ir_instructions = 0;  // those in `functions`
  /// Whether the analysed and the recorded command had the same arguments and process count.
  /// Otherwise the counts are of another run than the times.
  bool is_same_input = false;
  std::vector<JoinedFunction> functions;  // the most time first
  std::vector<MissingTime> missing;       // the most time first
  std::vector<UnplacedCounts> unplaced;   // the most instructions first
  std::vector<std::string> notes;         // a sentence each

  double share() const { return cpu_s > 0 ? joined_s / cpu_s : 0; }
  bool is_enough() const { return share() >= kEnoughJoined; }
};

/// Why an analysis does not belong to the runs at a point: it is of another process count or input.
/// Its counts would then be combined with the times of other work. Empty if it belongs to them.
std::string why_of_other_work(const AnalysedSize& analysed, const Experiment& experiment,
                              const ExperimentPoint& point);

/// Functions of the two builds are equal if source_function() gives the same result for both. Where
/// a function was inlined in one build and not in the other, its counts go to the recorded place
/// whose inline chain fits best (PlaceIndex). If several places fit equally
/// well, the counts are divided among them in proportion to their times.
KernelJoin join_kernels(const RunProfile& run, const kernels::Analysis& analysis);

Json to_json(const KernelJoin& join);

/// The share of the run's compute time in each kernel, in the order of Analysis::kernels: in its
/// own code and in code that was inlined into it, even where the recorded build inlined the kernel
/// into another function. Throws InputError if the run is of another input than the analysis, or if
/// no time is in kernels.
std::vector<double> kernel_shares(const RunProfile& run, const kernels::Analysis& analysis);

}  // namespace apmt
