// Splits the time of a kernel into computation and waiting for memory, with the uncertainty of this
// split. It extends equation (2) of the APMT paper by the limit of the memory's bandwidth and by
// late prefetches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/laws/law.h"

namespace apmt {

/// For one process, at P processes and work D, with c = core_s * core(P, D) / P:
///   time = max(c + (blocked * unhidden(P, D) + exposed * t) / P, streamed * t / P)
/// and t = sharing(P) * transfers(P, D).
/// The core waits for accesses that no prefetcher covers (`blocked`), and for prefetched data that
/// arrive late (`exposed`). The second argument of max is the least time that the memory's
/// bandwidth allows. "Memory" is everything beyond the caches that run with the core's clock. Once
/// a process has so little work that its data fit into these caches, the time is c.
struct MemorySplit {
  /// Factors on times of the machine: for the same work of a core, for an access to memory, for the
  /// transfer of a byte from memory.
  struct Slowdown {
    double core = 1;
    double latency = 1;
    double transfer = 1;
    bool is_none() const { return core == 1 && latency == 1 && transfer == 1; }
  };
  /// One set of costs that agrees with the runs, and a guess at where the data fit into caches.
  struct Costs {
    double core_s = 0;      // per unit of `core`; for instructions: CPI_core / f
    double blocked = 0;     // blocking factor BF: share of `unhidden` that blocks
    double streamed = 0;    // factor on `transfers`
    double exposed = 0;     // share of `transfers` that does not overlap with computation
    double fits_below = 0;  // work per process below which data fit into caches; 0: never

    /// The costs on a machine that takes longer by these factors.
    Costs slowed(const Slowdown& by) const {
      return {by.core * core_s, by.latency * blocked, by.transfer * streamed, by.transfer * exposed,
              fits_below};
    }
  };
  /// What the separation of core and memory is based on: "stalls" (counted cycles), "counts"
  /// (accesses and times of all runs), or "frequencies" (the same and runs at other core
  /// frequencies; without counts, only these runs).
  std::string from;
  Hypothesis core;       // instructions (or flops), all ranks; for "stalls": cycles without stalls
  Hypothesis unhidden;   // seconds of accesses if none overlapped; for "stalls": stalled cycles
  Hypothesis transfers;  // seconds of their bytes at full bandwidth; empty: none, or unknown
  /// By process count: by how much longer a transfer takes than `transfers` says, because more
  /// cores of a node share the memory's bandwidth (or, below 1, fewer). Linear in ln P in between,
  /// constant beyond. Empty: 1 everywhere.
  std::map<double, double> sharing;
  /// The work of all profiled runs, if it was the same: the laws then know nothing of other sizes,
  /// which count through the work per process. 0: sizes varied.
  double only_work = 0;
  /// Whether accesses leave their law beyond the runs as simulations with larger caches foresee.
  bool is_foreseen = false;
  /// The prior weight, among counts that may explain the time (CountFamily), of the law of the time
  /// that the costs give: time_s() with the costs of a draw. It includes how narrow a range of
  /// costs agrees with the times (KernelCosts::occam). If runs at other frequencies have shown
  /// the costs, or larger simulated caches that accesses will leave their law, it is higher
  /// (CommonPriors::tested_counts, counts_ahead). 0: the costs divide the time, but its law
  /// does not use them.
  double prior = 0;
  double posterior = 0;  // share of the posterior of all families of laws, including curves
  /// Equally likely sets of costs. Sets of different kernels with the same index assume the same
  /// latency and bandwidth of the machine (shared_costs.h).
  std::vector<Costs> ways;

  double sharing_at(double procs) const;

  /// The time of one process with these costs.
  double time_s(const Costs& costs, double procs, double work) const;
  /// For each of the ways: ln of the time divided by the time at another process count and work, as
  /// if data never began to fit into caches.
  std::vector<double> ln_ratios(double procs, double work, double other_procs,
                                double other_work) const;
  /// For each of the ways: ln of the time divided by the time if data did not fit into caches.
  std::vector<double> ln_cached(double procs, double work) const;
  /// For each of the ways: the fraction of the time that memory blocks, 0..1.
  std::vector<double> shares(double procs, double work) const;
  /// The q quantile of the share, over the sets of costs (ways).
  double share_quantile(double q, double procs, double work) const;
  /// The time on a machine that takes longer by these factors, divided by the unchanged time, for
  /// each of the ways.
  std::vector<double> slowdowns(const Slowdown& by, double procs, double work) const;
  /// Whether the time of transfers is known apart from the time of single accesses. (Without any
  /// access, `transfers` is empty and known.)
  bool knows_transfers() const {
    return from == "counts" || (from == "frequencies" && !transfers.terms.empty());
  }
  /// For each of the ways: d ln time / d ln (costs of memory), from 0 to 1, the share of memory in
  /// changes of the time. 1 minus this is the core's share.
  std::vector<double> memory_elasticities(double procs, double work) const;
  /// Probability that a faster memory would shorten the time by more than a faster core would.
  double memory_bound(double procs, double work) const;
};

/// The costs of all ways, each as an array in the order of the fields of Costs.
Json ways_to_json(const MemorySplit& split);
/// Pairs of a process count and a factor.
Json sharing_to_json(const MemorySplit& split);

}  // namespace apmt
