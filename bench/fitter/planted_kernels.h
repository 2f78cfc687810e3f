// Planted kernels whose true times of computation and memory are known, and models of programs with
// such kernels, whose accesses to memory (or stalled cycles) were counted.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "fitter/laws/law_catalog.h"
#include "fitter/model/model.h"

namespace apmt::bench {

constexpr std::array<int, 4> kPlantedProcs = {1, 2, 4, 8};

struct KernelCampaign {
  const char* label;
  /// The ratio of memory time to computation at one process is drawn log-uniformly between 1 /
  /// widest_ratio and widest_ratio. If widest_ratio is 0, the ratio is calculated from costs and
  /// accesses that are drawn independently.
  double widest_ratio;
  double noise;                        // standard deviation of ln t
  double least_fitting, most_fitting;  // share of accesses that remain once the data fit a cache
  int kernels = 1;                     // in each program
  double latency_off = 0;    // standard deviation of ln(real latency / latency of the profile)
  bool is_profiled = true;   // false: the profile has no latency, and the fit assumes one
  bool shares_costs = true;  // the fit gives all kernels the same memory costs
  /// True: the memory's bandwidth limits the time, which is the larger of computation and
  /// transfers. `latency_off` then describes the bandwidth instead of the latency. The bandwidth is
  /// not profiled.
  bool streams = false;
  /// True: stalled cycles were counted (grade A); their counts have the noise of the times.
  bool counts_stalls = false;
  /// Times grow as P to a power that no count explains: the standard deviation of this exponent.
  double straying = 0;
  /// The data begin to fit into a cache only beyond the runs; foreseen or not by simulations with
  /// larger caches (kernel_counts.h).
  enum class Ahead { kNo, kUnforeseen, kForeseen } ahead = Ahead::kNo;
};
/// The true times of a kernel.
struct PlantedKernel {
  double comp_s = 0;  // at one process
  double mem_s = 0;
  double accesses = 0;
  double fitting = 0;
  int fits_from = 0;
  bool streams = false;
  double stray = 0;  // exponent of P

  double accesses_at(int procs) const { return procs < fits_from ? accesses : fitting; }
  double memory_s(int procs) const { return mem_s * accesses_at(procs) / accesses; }
  double time_s(int procs) const {
    const double memory = memory_s(procs);
    return (streams ? std::max(comp_s, memory) : comp_s + memory) / procs * std::pow(procs, stray);
  }
};

/// The kernels of a random program.
std::vector<PlantedKernel> random_kernels(std::mt19937_64& random, const KernelCampaign& campaign);

/// Fits a model to the kernels. The profile of the machine contains the memory's latency only if
/// campaign.is_profiled; otherwise the fit assumes a latency.
Model model_of(const std::vector<PlantedKernel>& kernels, const KernelCampaign& campaign,
               std::mt19937_64& random, const LawCatalog& catalog);

}  // namespace apmt::bench
