#include "bench/fitter/planted_kernels.h"

#include <string>

#include "bench/fitter/planted.h"
#include "fitter/computation/cost_fit.h"
#include "fitter/computation/kernel_counts.h"
#include "fitter/laws/count_fit.h"
#include "fitter/times/time_fit.h"

namespace apmt::bench {
namespace {

constexpr double kFrequency_hz = 2e9;
constexpr double kMemory_s = 100e-9;
constexpr double kBytesPerS = 8e9;  // of a core, as is assumed without a profile
constexpr double kLineBytes = 64;
constexpr double kWaitedFor = 0.01;     // share of the accesses of a streaming kernel
constexpr double kInstructions = 1e11;  // summed over all ranks

/// A kernel whose cycles and stalled cycles were counted, as the runs show it.
KernelModel recorded_with_stalls(const PlantedKernel& kernel, double noise, std::mt19937_64& random,
                                 const LawCatalog& catalog) {
  KernelModel model;
  model.metrics.resize(2);
  MetricModel& cycles = model.metrics[0];
  MetricModel& stall = model.metrics[1];
  cycles.metric = "cycles";
  stall.metric = "stall";
  for (const int procs : kPlantedProcs) {
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

/// Simulations of the two largest runs with larger caches, up to 64 processes.
std::vector<CountsWithLargerCaches> simulated_ahead(const PlantedKernel& kernel) {
  std::vector<CountsWithLargerCaches> all;
  for (const auto& [point, factor] : {std::pair(2, 2), {3, 2}, {3, 4}, {3, 8}})
    all.push_back({static_cast<std::size_t>(point),
                   static_cast<double>(factor),
                   {{"acc_mm", kernel.accesses_at(factor * kPlantedProcs[point])}}});
  return all;
}

/// A kernel as the runs show it.
KernelModel recorded(const PlantedKernel& kernel, double noise, std::mt19937_64& random,
                     const LawCatalog& catalog) {
  std::vector<FitPoint> instructions, accesses;
  KernelModel model;
  for (const int procs : kPlantedProcs) {
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
  for (MetricModel& m : model.metrics) m.provenance = Provenance::kSimulated;
  if (!kernel.streams) return model;
  for (FitPoint& p : demand) p.value = std::round(kWaitedFor * kernel.accesses);
  model.metrics.emplace_back().metric = "acc_mm_demand";
  model.metrics[2].law = fit_count(demand, catalog, CountKind::kReal);
  model.metrics[2].points = std::move(demand);
  return model;
}

/// `latency`: the machine's latency over that of the profile.
PlantedKernel random_kernel(std::mt19937_64& random, const KernelCampaign& campaign,
                            double latency) {
  const double cpi = log_uniform(random, 0.2, 2);
  const double blocking = log_uniform(random, 0.03, 1);
  PlantedKernel k;
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
  k.fits_from = campaign.ahead == KernelCampaign::Ahead::kNo ? std::array{2, 4, 8}[random() % 3]
                                                             : std::array{16, 32, 64}[random() % 3];
  if (campaign.straying > 0) k.stray = campaign.straying * normal(random);
  return k;
}

}  // namespace

std::vector<PlantedKernel> random_kernels(std::mt19937_64& random, const KernelCampaign& campaign) {
  const double latency =
      campaign.latency_off > 0 ? std::exp(campaign.latency_off * normal(random)) : 1;
  std::vector<PlantedKernel> kernels;
  for (int k = 0; k < campaign.kernels; ++k)
    kernels.push_back(random_kernel(random, campaign, latency));
  return kernels;
}

Model model_of(const std::vector<PlantedKernel>& kernels, const KernelCampaign& campaign,
               std::mt19937_64& random, const LawCatalog& catalog) {
  Model model;
  model.frequency_hz = kFrequency_hz;
  for (const int procs : kPlantedProcs) {
    model.points.emplace_back();
    model.points.back().procs = model.points.back().busy_cores = procs;
  }
  for (const PlantedKernel& kernel : kernels) {
    model.kernels.push_back(campaign.counts_stalls
                                ? recorded_with_stalls(kernel, campaign.noise, random, catalog)
                                : recorded(kernel, campaign.noise, random, catalog));
    model.kernels.back().name = "kernel " + std::to_string(model.kernels.size());
    if (campaign.ahead == KernelCampaign::Ahead::kForeseen)
      continue_ahead(simulated_ahead(kernel), model.kernels.back().points, {},
                     &model.kernels.back().metrics);
  }
  MemoryCosts machine;
  machine.source = "planted machine";
  if (campaign.is_profiled) machine.memory_s = kMemory_s;
  machine.frequency_hz = kFrequency_hz;
  if (!campaign.streams) machine.bandwidth = {{1, 1e13}};  // so large that it never limits
  for (KernelModel& kernel : model.kernels)
    kernel.law = fit_time(kernel.points, catalog,
                          {.prior = "leaf",
                           .size_rule = TimeLaw::SizeRule::kPerProcess,
                           .families = families_of(kernel.metrics, machine)});
  fit_costs(machine, {}, &model);
  return model;
}

}  // namespace apmt::bench
