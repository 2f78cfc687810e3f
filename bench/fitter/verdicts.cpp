// Shows for planted kernels how often the stated bound is right, and whether this agrees with the
// stated probability.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "bench/fitter/bench.h"
#include "bench/fitter/planted.h"
#include "fitter/computation/cost_fit.h"
#include "fitter/laws/count_fit.h"
#include "fitter/laws/regime_fit.h"
#include "fitter/mechanisms.h"

namespace apmt::bench {
namespace {

constexpr double kFrequency_hz = 2e9;
constexpr double kMemory_s = 100e-9;
constexpr double kBytesPerS = 8e9;  // of a core, as is assumed without a profile
constexpr double kLineBytes = 64;
constexpr double kWaitedFor = 0.01;     // share of the accesses of a streaming kernel
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
};
constexpr std::array<Campaign, 12> kCampaigns = {
    {{"stalls counted, ratio 1/30 to 30, 5 % noise, misses cross a cache", 30, 0.05, 0.01, 0.01, 1,
      0, true, true, false, true},
     {"ratio 1/30 to 30, 5 % noise, misses cross a cache", 30, 0.05, 0.01, 0.01},
     {"ratio 1/3 to 3, 5 % noise, misses cross a cache", 3, 0.05, 0.01, 0.01},
     {"5 % noise, misses fall by 20 to 90 %", 0, 0.05, 0.1, 0.8},
     {"20 % noise, misses fall by 20 to 90 %", 0, 0.2, 0.1, 0.8},
     {"5 % noise, misses never change", 0, 0.05, 1, 1},
     {"8 kernels, latency 15 % off", 0, 0.05, 1, 1, 8, 0.15, true},
     {"8 kernels, each alone, latency 15 % off", 0, 0.05, 1, 1, 8, 0.15, true, false},
     {"8 kernels, latency not known", 0, 0.05, 0.1, 1, 8, 0.4, false},
     {"8 kernels, each alone, latency not known", 0, 0.05, 0.1, 1, 8, 0.4, false, false},
     {"8 streaming kernels, bandwidth not known", 5, 0.05, 1, 1, 8, 0.6, false, true, true},
     {"8 streaming kernels, each alone, bandwidth not known", 5, 0.05, 1, 1, 8, 0.6, false, false,
      true}}};

struct Kernel {
  double comp_s = 0;  // at one process
  double mem_s = 0;
  double accesses = 0;
  double fitting = 0;
  int fits_from = 0;
  bool streams = false;

  double accesses_at(int procs) const { return procs < fits_from ? accesses : fitting; }
  double memory_s(int procs) const { return mem_s * accesses_at(procs) / accesses; }
  double time_s(int procs) const {
    const double memory = memory_s(procs);
    return (streams ? std::max(comp_s, memory) : comp_s + memory) / procs;
  }
};

/// `latency`: the machine's latency over that of the profile.
Kernel random_kernel(std::mt19937_64& random, const Campaign& campaign, double latency) {
  const double cpi = log_uniform(random, 0.2, 2);
  const double blocking = log_uniform(random, 0.03, 1);
  Kernel k;
  k.comp_s = kInstructions * cpi / kFrequency_hz;
  k.accesses = campaign.widest_ratio > 0
                   ? k.comp_s *
                         log_uniform(random, 1 / campaign.widest_ratio, campaign.widest_ratio) /
                         (blocking * latency * kMemory_s)
                   : kInstructions * log_uniform(random, 0.002, 0.1);
  k.mem_s = k.accesses * blocking * latency * kMemory_s;
  k.streams = campaign.streams;
  if (k.streams) {
    k.mem_s = k.comp_s * log_uniform(random, 1 / campaign.widest_ratio, campaign.widest_ratio);
    k.accesses = k.mem_s / latency * kBytesPerS / kLineBytes;
  }
  k.fitting = k.accesses * log_uniform(random, campaign.least_fitting, campaign.most_fitting);
  k.fits_from = std::array{2, 4, 8}[random() % 3];
  return k;
}

/// A kernel whose cycles and stalled cycles were counted, as the runs show it.
KernelModel recorded_with_stalls(const Kernel& kernel, double noise, std::mt19937_64& random,
                                 const LawCatalog& catalog) {
  KernelModel model;
  model.metrics.resize(2);
  MetricModel& cycles = model.metrics[0];
  MetricModel& stall = model.metrics[1];
  cycles.metric = "cycles";
  stall.metric = "stall";
  for (const int procs : kProcs) {
    const double p = procs;
    const double time_s = kernel.time_s(procs) * std::exp(noise * normal(random));
    const double stalled_s = kernel.memory_s(procs) * std::exp(noise * normal(random));
    model.points.push_back({p, 1, time_s, 0, 0, 1});
    cycles.points.push_back({p, 1, std::round(time_s * p * kFrequency_hz), 0, noise, 1});
    stall.points.push_back({p, 1, std::round(stalled_s * kFrequency_hz), 0, noise, 1});
  }
  for (MetricModel* m : {&cycles, &stall}) m->law = fit_with_regimes(m->points, catalog);
  return model;
}

/// A kernel as the runs show it.
KernelModel recorded(const Kernel& kernel, double noise, std::mt19937_64& random,
                     const LawCatalog& catalog) {
  std::vector<FitPoint> instructions, accesses;
  KernelModel model;
  for (const int procs : kProcs) {
    const double p = procs;
    model.points.push_back(
        {p, 1, kernel.time_s(procs) * std::exp(noise * normal(random)), 0, 0, 1});
    instructions.push_back({p, 1, kInstructions, 0, 0, 1});
    accesses.push_back({p, 1, std::round(kernel.accesses_at(procs)), 0, 0, 1});
  }
  std::vector<FitPoint> demand = accesses;
  model.metrics.resize(2);
  model.metrics[0].metric = "instructions";
  model.metrics[0].law = fit_count(instructions, catalog, CountKind::kReal);
  model.metrics[0].points = std::move(instructions);
  model.metrics[1].metric = "acc_mm";
  model.metrics[1].law = fit_with_regimes(accesses, catalog);
  model.metrics[1].points = std::move(accesses);
  if (!kernel.streams) return model;
  for (FitPoint& p : demand) p.value = std::round(kWaitedFor * kernel.accesses);
  model.metrics.emplace_back().metric = "acc_mm_demand";
  model.metrics[2].law = fit_count(demand, catalog, CountKind::kReal);
  model.metrics[2].points = std::move(demand);
  return model;
}

/// Fits a model to the kernels. The profile of the machine contains the memory's latency only if
/// campaign.is_profiled; otherwise the fit assumes a latency.
Model program(const std::vector<Kernel>& kernels, const Campaign& campaign, std::mt19937_64& random,
              const LawCatalog& catalog) {
  Model model;
  model.frequency_hz = kFrequency_hz;
  for (const int procs : kProcs) {
    model.points.emplace_back();
    model.points.back().procs = model.points.back().busy_cores = procs;
  }
  for (const Kernel& kernel : kernels) {
    model.kernels.push_back(campaign.counts_stalls
                                ? recorded_with_stalls(kernel, campaign.noise, random, catalog)
                                : recorded(kernel, campaign.noise, random, catalog));
    model.kernels.back().name = "kernel " + std::to_string(model.kernels.size());
  }
  MemoryCosts machine;
  machine.source = "planted machine";
  if (campaign.is_profiled) machine.memory_s = kMemory_s;
  machine.frequency_hz = kFrequency_hz;
  if (!campaign.streams) machine.bandwidth = {{1, 1e13}};  // so large that it never limits
  fit_costs(machine, {}, &model);
  return model;
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
    Mechanisms on = mechanisms();
    on.shared_costs = campaign.shares_costs;
    const WithMechanisms chosen(on);
    std::mt19937_64 random(seed);
    std::array<Class, kClasses.size()> classes;
    Class all;
    for (int i = 0; i < programs; ++i) {
      const double latency =
          campaign.latency_off > 0 ? std::exp(campaign.latency_off * normal(random)) : 1;
      std::vector<Kernel> kernels;
      for (int k = 0; k < campaign.kernels; ++k)
        kernels.push_back(random_kernel(random, campaign, latency));
      const Model model = program(kernels, campaign, random, catalog);
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (!model.kernels[k].split) continue;
        const double memory = model.kernels[k].split->memory_bound(1, 1);
        const double probability = std::max(memory, 1 - memory);
        const auto of = static_cast<std::size_t>((probability - 0.5) * 10);
        for (Class* c : {&classes[std::min(of, classes.size() - 1)], &all}) {
          c->said += 1;
          c->right += (memory > 0.5) == (kernels[k].mem_s > kernels[k].comp_s);
          c->probability += probability;
        }
      }
    }
    for (std::size_t c = 0; c < classes.size(); ++c)
      print_class(campaign.label, kClasses[c], classes[c]);
    print_class(campaign.label, "any", all);
  }
}

}  // namespace apmt::bench
