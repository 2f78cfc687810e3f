// Adds simulated counters to the profile of a measured run; they raise grade C to B.
#pragma once

#include <string>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/simulated/callgrind_file.h"

namespace apmt {

/// The share of the sampled CPU time that is in functions that callgrind counted.
double counted_share(const std::vector<CallgrindProfile>& ranks, const RunProfile& profile);

/// Adds "instructions", "hit_core" (hits in caches that run at the core's clock), "hit_LLC",
/// "acc_mm" and "branch_misses" to the kernels, as far as callgrind counted them. Counts of a
/// window are scaled to `calls_per_rank`, the number of calls to its MPI operation in the whole
/// run. Kernels are matched by object, linkage name and, if that is ambiguous, source file.
/// `caches` describes the simulated caches. Throws InputError if the ranks are not those of the
/// run.
void add_simulated_counters(const std::vector<CallgrindProfile>& ranks, double calls_per_rank,
                            const std::string& caches, RunProfile* profile);

/// Adds "acc_mm_demand", the accesses to memory for which the core waits, from a simulation with a
/// prefetcher. Matching, scaling and errors are the same as in add_simulated_counters().
void add_demand_accesses(const std::vector<CallgrindProfile>& ranks, double calls_per_rank,
                         const std::string& caches, RunProfile* profile);

/// Stores the counts of caches in `simulated`, a copy of `profile` with the counters of a
/// simulation whose caches were `factor` times as large. They replace counts with the same factor.
void add_larger_caches(double factor, const RunProfile& simulated, RunProfile* profile);

}  // namespace apmt
