// A kernel's time as computation and time blocked by memory: equation (2) for one kernel, with its
// uncertainty.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fitter/law.h"

namespace apmt {

/// For one process, at P processes and work D, with c = core_s * core(P, D) / P:
///   time = c + max(blocked * unhidden(P, D) / P, streamed * transfers(P, D) / P - c, 0)
/// The first term of the maximum is the time that the core waits for accesses. The second is the
/// time that the memory's bandwidth requires, less the computation that it overlaps. "Memory" is
/// everything beyond the caches that run with the core's clock.
struct MemorySplit {
  /// Costs that the runs allow.
  struct Costs {
    double core_s = 0;    // of a unit of `core`: CPI_core / f of an instruction
    double blocked = 0;   // blocking factor BF: of the seconds that accesses would take unhidden
    double streamed = 0;  // of the seconds that bandwidth alone takes
  };
  /// The source of the separation: "stalls" (counted cycles), "counts" (accesses and times of all
  /// runs), "frequencies" or "spread" (apmt refine).
  std::string from;
  Hypothesis core;       // instructions, over all ranks; of stalls, cycles without them
  Hypothesis unhidden;   // seconds of all accesses if none overlapped; of stalls, these
  Hypothesis transfers;  // seconds of their bytes at the memory's bandwidth; none: not known
  std::vector<Costs>
      ways;  // equally likely, by rising share of memory at the largest process count

  /// The fraction of the time that memory blocks, 0..1.
  double share(const Costs& costs, double procs, double work) const;
  double mean_share(double procs, double work) const;
  /// Quantile of the share.
  double share_quantile(double q, double procs, double work) const;
  /// The time with core and memory slower by these factors, over the unchanged time: mean over the
  /// ways.
  double slowdown(double core_factor, double memory_factor, double procs, double work) const;
  /// d ln time / d ln memory's costs, 0..1; that of the core is the rest. Mean over the ways.
  double memory_elasticity(double procs, double work) const;
  /// The same for each of the ways.
  std::vector<double> memory_elasticities(double procs, double work) const;
  /// Probability that a faster memory would shorten the time by more than a faster core would.
  double memory_bound(double procs, double work) const;
};

Json to_json(const MemorySplit& split);
MemorySplit memory_split_from(const JsonAt& json);

}  // namespace apmt
