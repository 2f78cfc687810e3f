// What the device models need to know about a kernel, extracted from an analysis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/analysis.h"

namespace apmt::devices {

/// A schedule: its levels, with the number of operations that can run at once in each level.
struct Schedule {
  struct Width {  // levels with about the same number of operations each
    double levels = 0;
    double operations = 0;  // of all these levels
  };
  double depth = 0;
  double operations = 0;
  std::vector<Width> widths;  // the narrowest first

  /// The number of steps in which this many processors run the schedule: the sum of w / min(w,
  /// processors) over the levels, where w is the number of operations of a level.
  double levels_on(double processors) const;
};

/// How many lines are moved between a cache and the slower memory behind it, depending on the size
/// of the cache.
struct LineTraffic {
  double line_bytes = 64;
  double accesses = 0;
  double access_bytes = 8;  // mean size of one access
  bool is_sampled = false;
  kernels::Locality distances;

  /// Whether the sample of lines contains none that the kernel accessed, so that nothing is known
  /// about the slower memory.
  bool saw_nothing() const { return is_sampled && accesses > 0 && !(distances.cold > 0); }
  double misses(double cache_bytes) const { return distances.misses(cache_bytes); }
  double touched_bytes() const { return distances.cold * line_bytes; }
};

/// An idiom of a loop; it corresponds to a block in PMaC's paper.
struct IdiomBlock {
  std::string place;  // file:line
  std::string idiom;
  double references = 0;
  double bytes = 0;            // of all references
  double footprint_bytes = 0;  // the loop's footprint, divided equally among its idioms
};

/// Loads that wait for each other (kernels::LoadChain).
struct LoadChain {
  double depth = 0;
  double unforeseen = 0;
};

struct Workload {
  std::string function;  // linkage name
  std::string name;
  std::string place;       // file:line
  double invocations = 1;  // all figures are totals over all invocations
  double steps = 1;        // time steps of the program; the user states them
  bool is_opencl = false;
  double instructions = 0;
  double flops = 0;  // W
  double additions = 0;
  double multiplications = 0;
  double share_single = 0;  // of W
  double loaded_bytes = 0;
  double stored_bytes = 0;
  std::optional<double> vector_flops;  // W_vec: of the analysis, or assumed by the user
  std::optional<Schedule> floating_point;
  std::optional<Schedule> all_operations;
  std::optional<LoadChain> load_chain;
  std::optional<LineTraffic> lines;
  /// Bytes that the kernel's largest loop touches. In contrast to LineTraffic::touched_bytes(),
  /// this includes data that another kernel touched before.
  std::optional<double> footprint_bytes;
  /// At least as many bytes as one call touches: the footprints of all loops, and a line for each
  /// access outside of them. Absent if a loop lacks its footprint.
  std::optional<double> most_call_bytes;
  std::optional<double> synchronisations;       // S
  double synchronisations_inside_parallel = 0;  // part of S that is not global on a device
  bool lacks_footprints = false;  // loops access memory, but their footprints were not measured
  bool is_complete = true;        // the analysis did not reach its memory limit
  bool is_estimated = false;      // schedules, S, idioms, footprints: some invocations were skipped
  bool has_counts = false;
  std::vector<IdiomBlock> idioms;
  double share_idioms = 0;    // of the kernel's references
  std::string why_no_idioms;  // if there are none
};

/// The accesses that miss a cache if `ranks` ranks call the kernel in turn, each with data of its
/// own. During a call, the whole cache serves one rank. But what a call reuses from the rank's
/// previous call was in the cache together with the data of all other ranks. Only the first access
/// of a call to a line can miss for this reason.
double shared_misses(const Workload& workload, double cache_bytes, int ranks);

/// Bytes that a kernel touches, as far as is known.
double touched_bytes(const Workload& workload);

Workload workload_of(const kernels::KernelAnalysis& kernel);

}  // namespace apmt::devices
