// Shows for planted kernels how often the stated bound is right, and whether this agrees with the
// stated probability.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "bench/fitter/bench.h"
#include "bench/fitter/planted.h"
#include "fitter/count_fit.h"
#include "fitter/memory_fit.h"
#include "fitter/regime_fit.h"

namespace apmt::bench {
namespace {

constexpr double kFrequency_hz = 2e9;
constexpr double kMemory_s = 100e-9;
constexpr double kInstructions = 1e11;  // summed over all ranks
constexpr std::array<int, 4> kProcs = {1, 2, 4, 8};

struct Campaign {
  const char* label;
  /// The ratio of memory time to computation at one process is drawn log-uniformly between 1 /
  /// widest_ratio and widest_ratio. If widest_ratio is 0, the ratio is calculated from costs and
  /// accesses that are drawn independently.
  double widest_ratio;
  double noise;                        // standard deviation of ln t
  double least_fitting, most_fitting;  // share of accesses that remain once the data fit a cache
};
constexpr std::array<Campaign, 5> kCampaigns = {
    {{"ratio 1/30 to 30, 5 % noise, misses cross a cache", 30, 0.05, 0.01, 0.01},
     {"ratio 1/3 to 3, 5 % noise, misses cross a cache", 3, 0.05, 0.01, 0.01},
     {"5 % noise, misses fall by 20 to 90 %", 0, 0.05, 0.1, 0.8},
     {"20 % noise, misses fall by 20 to 90 %", 0, 0.2, 0.1, 0.8},
     {"5 % noise, misses never change", 0, 0.05, 1, 1}}};

struct Kernel {
  double comp_s = 0;  // at one process
  double mem_s = 0;
  double accesses = 0;
  double fitting = 0;
  int fits_from = 0;

  double accesses_at(int procs) const { return procs < fits_from ? accesses : fitting; }
  double time_s(int procs) const {
    return (comp_s + mem_s * accesses_at(procs) / accesses) / procs;
  }
};

Kernel random_kernel(std::mt19937_64& random, const Campaign& campaign) {
  const double cpi = log_uniform(random, 0.2, 2);
  const double blocking = log_uniform(random, 0.03, 1);
  Kernel k;
  k.comp_s = kInstructions * cpi / kFrequency_hz;
  k.accesses = campaign.widest_ratio > 0
                   ? k.comp_s *
                         log_uniform(random, 1 / campaign.widest_ratio, campaign.widest_ratio) /
                         (blocking * kMemory_s)
                   : kInstructions * log_uniform(random, 0.002, 0.1);
  k.mem_s = k.accesses * blocking * kMemory_s;
  k.fitting = k.accesses * log_uniform(random, campaign.least_fitting, campaign.most_fitting);
  k.fits_from = std::array{2, 4, 8}[random() % 3];
  return k;
}

std::optional<MemorySplit> learned(const Kernel& kernel, double noise, std::mt19937_64& random,
                                   const LawCatalog& catalog) {
  std::vector<FitPoint> times, instructions, accesses;
  for (const int procs : kProcs) {
    const double p = procs;
    times.push_back({p, 1, kernel.time_s(procs) * std::exp(noise * normal(random)), 0, 0, 1});
    instructions.push_back({p, 1, kInstructions, 0, 0, 1});
    accesses.push_back({p, 1, std::round(kernel.accesses_at(procs)), 0, 0, 1});
  }
  std::vector<MetricModel> metrics(2);
  metrics[0].metric = "instructions";
  metrics[0].law = fit_count(instructions, catalog, CountKind::kReal);
  metrics[0].points = std::move(instructions);
  metrics[1].metric = "acc_mm";
  metrics[1].law = fit_with_regimes(accesses, catalog);
  metrics[1].points = std::move(accesses);
  MemoryCosts machine;
  machine.source = "planted machine";
  machine.memory_s = kMemory_s;
  machine.frequency_hz = kFrequency_hz;
  machine.bandwidth = {{1, 1e13}};  // so large that it never limits
  const std::vector<int> busy_cores(kProcs.begin(), kProcs.end());
  return fit_memory_split(
      {.times = times, .metrics = metrics, .busy_cores = busy_cores, .frequency_hz = kFrequency_hz},
      machine);
}

struct Class {
  int said = 0;
  int right = 0;
  double probability = 0;
};

void print_class(const char* label, const char* name, const Class& c) {
  if (c.said == 0)
    std::printf("| %s | %s | 0 | - | - |\n", label, name);
  else
    std::printf("| %s | %s | %d | %.0f %% | %.0f %% |\n", label, name, c.said,
                100 * c.probability / c.said, 100.0 * c.right / c.said);
}

}  // namespace

void verdicts(int programs, unsigned long seed) {
  constexpr std::array<const char*, 5> kClasses = {"50 to 60 %", "60 to 70 %", "70 to 80 %",
                                                   "80 to 90 %", "90 to 100 %"};
  const LawCatalog catalog = read_law_catalog(bench_fit_options().configs);
  std::printf("| kernels | said with | n | said in the mean | right |\n|---|---|---|---|---|\n");
  for (const Campaign& campaign : kCampaigns) {
    std::mt19937_64 random(seed);
    std::array<Class, kClasses.size()> classes;
    Class all;
    for (int i = 0; i < programs; ++i) {
      const Kernel kernel = random_kernel(random, campaign);
      const std::optional<MemorySplit> split = learned(kernel, campaign.noise, random, catalog);
      if (!split) continue;
      const double memory = split->memory_bound(1, 1);
      const double probability = std::max(memory, 1 - memory);
      const auto of = static_cast<std::size_t>((probability - 0.5) * 10);
      for (Class* c : {&classes[std::min(of, classes.size() - 1)], &all}) {
        c->said += 1;
        c->right += (memory > 0.5) == (kernel.mem_s > kernel.comp_s);
        c->probability += probability;
      }
    }
    for (std::size_t c = 0; c < classes.size(); ++c)
      print_class(campaign.label, kClasses[c], classes[c]);
    print_class(campaign.label, "any", all);
  }
}

}  // namespace apmt::bench
