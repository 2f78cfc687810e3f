// Adds simulated counters to a measured run: grade B.
#pragma once

#include <string>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/simulated/callgrind_file.h"

namespace apmt {

/// The share of the sampled CPU time in functions that the simulator counted.
double counted_share(const std::vector<CallgrindProfile>& ranks, const RunProfile& profile);

/// Adds "instructions", "hit_core" (by caches that run at the core's clock), "hit_LLC", "acc_mm"
/// and "branch_misses" to the kernels, as far as the simulator counted them. Counts of a window are
/// scaled to `calls_per_rank` calls of it. Kernels are matched by object, linkage name and, where
/// that is not enough, source. `caches` names the simulated geometry. Throws InputError if the
/// ranks are not those of the run.
void add_simulated_counters(const std::vector<CallgrindProfile>& ranks, double calls_per_rank,
                            const std::string& caches, RunProfile* profile);

/// Adds "acc_mm_demand", the accesses to memory that a prefetcher does not cover, from a simulation
/// with one. Matching, scaling and errors are as above.
void add_demand_accesses(const std::vector<CallgrindProfile>& ranks, double calls_per_rank,
                         const std::string& caches, RunProfile* profile);

}  // namespace apmt
