// Shows for planted kernels how often the stated bound is right, and whether this agrees with the
// stated probability.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "bench/fitter/bench.h"
#include "bench/fitter/planted_kernels.h"
#include "fitter/mechanisms.h"

namespace apmt::bench {
namespace {

constexpr std::array<KernelCampaign, 12> kCampaigns = {
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
  for (const KernelCampaign& campaign : kCampaigns) {
    Mechanisms on = mechanisms();
    on.shared_costs = campaign.shares_costs;
    const WithMechanisms chosen(on);
    std::mt19937_64 random(seed);
    std::array<Class, kClasses.size()> classes;
    Class all;
    for (int i = 0; i < programs; ++i) {
      const std::vector<PlantedKernel> kernels = random_kernels(random, campaign);
      const Model model = model_of(kernels, campaign, random, catalog);
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (!model.kernels[k].law.split) continue;
        const double memory = model.kernels[k].law.split->memory_bound(1, 1);
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
