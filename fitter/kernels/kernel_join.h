// Joins what an analysis counted with the CPU time that a run recorded, function by function. The
// analysed build and the recorded build of the program come from different compilers, which name,
// split and inline functions differently.
#pragma once

#include <string>
#include <vector>

#include "base/checked_json.h"
#include "kernels/analysis.h"
#include "profile/run_profile.h"

namespace apmt {

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

/// Whether the analysed command ends in the arguments of the recorded program and has the same
/// number of ranks. If the recorded program has no arguments and several ranks, only the number of
/// ranks is compared, because the analysed command includes the words of the launcher.
bool has_same_input(const RunProfile& run, const kernels::Analysis& analysis);

/// Functions of the two builds are equal if source_function() gives the same result for both. Where
/// a function was inlined in one build and not in the other, its counts go to the recorded place
/// whose inline chain fits best (PlaceIndex in inline_places.h). If several places fit equally
/// well, the counts are divided among them in proportion to their times.
KernelJoin join_kernels(const RunProfile& run, const kernels::Analysis& analysis);

Json to_json(const KernelJoin& join);

/// The share of the run's compute time in each kernel, in the order of Analysis::kernels: in its
/// own code and in code that was inlined into it, even where the recorded build inlined the kernel
/// into another function. Throws InputError if the run is of another input than the analysis, or if
/// no time is in kernels.
std::vector<double> kernel_shares(const RunProfile& run, const kernels::Analysis& analysis);

}  // namespace apmt
