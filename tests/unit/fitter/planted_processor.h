// Planted processors, on which the computation and memory times of a kernel are known.
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt::processor {

inline constexpr double kFrequency_hz = 2e9;
inline constexpr double kMemory_s = 100e-9;
inline constexpr double kCountUnit = 1;
inline constexpr double kBytesPerS = 1e12;  // of each core

/// A kernel with its counts, summed over all ranks.
struct Kernel {
  double cpi = 0.8;
  double blocking = 0.3;
  double instructions = 1e11;
  double accesses = 1e9;  // if a rank's data do not fit into its cache
  double fits_from = 4;   // the least number of processes at which they fit
  double fitting = 1e6;   // accesses if they fit
  double demand = -1;     // share of the accesses that no prefetcher covers; below 0: not counted
  double late = 0;        // share of the transfer time that does not overlap with computation
  double falls = 0;       // accesses fall as P to this power
  double serial = 0;      // share of the time at one process that no process shares
  double accesses_at(int procs) const {
    return (procs < fits_from ? accesses : fitting) / std::pow(procs, falls);
  }
  double comp_s(int procs) const {
    return instructions * cpi / kFrequency_hz * ((1 - serial) / procs + serial);
  }
  double mem_s(int procs) const {
    return accesses_at(procs) * (blocking * kMemory_s + late * 64 / kBytesPerS) / procs;
  }
};

inline MemoryCosts machine() {
  MemoryCosts costs;
  costs.source = "planted machine";
  costs.memory_s = kMemory_s;
  costs.frequency_hz = kFrequency_hz;
  costs.bandwidth = {{1, kBytesPerS}, {64, 64 * kBytesPerS}};
  return costs;
}

inline FitOptions options() {
  FitOptions o = synthetic::fit_options();
  o.memory = machine();
  return o;
}

inline void count(const char* metric, double value, KernelProfile* kernel) {
  Counter& c = kernel->counters[metric];
  c.provenance = Provenance::kSimulated;
  c.unit_per_sample = kCountUnit;
  const std::size_t ranks = kernel->counters.at("cpu_s").samples.size();
  c.samples.assign(ranks, static_cast<std::uint64_t>(
                              std::llround(value / kCountUnit / static_cast<double>(ranks))));
}

/// `noise`: standard deviation of the logarithm of a kernel's time.
inline RunProfile run_of(const std::map<std::string, Kernel>& kernels, int procs, double noise,
                         std::mt19937_64* random) {
  synthetic::PlantedRun run;
  run.procs = procs;
  run.others_s = 0.01;
  std::normal_distribution<double> normal;
  for (const auto& [name, k] : kernels)
    run.kernel_s[name] =
        (k.comp_s(procs) + k.mem_s(procs)) * std::exp(noise > 0 ? noise * normal(*random) : 0);
  RunProfile profile = synthetic::profile(run);
  profile.grade = Grade::kB;
  for (KernelProfile& k : profile.kernels) {
    const Kernel& planted = kernels.at(k.name);
    count("instructions", planted.instructions, &k);
    count("hit_core", 0.3 * planted.instructions, &k);
    count("hit_LLC", 0, &k);
    count("acc_mm", planted.accesses_at(procs), &k);
    if (planted.demand >= 0)
      count("acc_mm_demand", planted.demand * planted.accesses_at(procs), &k);
  }
  return profile;
}

inline Model planted(const std::map<std::string, Kernel>& kernels, double noise = 0,
                     std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<RunProfile> runs;
  for (const int p : {1, 2, 4, 8}) runs.push_back(run_of(kernels, p, noise, &random));
  return fit(make_experiment(runs), options());
}

inline Scenario at(int procs) { return {.procs = procs, .params = {}, .scaling = {}}; }

}  // namespace apmt::processor
