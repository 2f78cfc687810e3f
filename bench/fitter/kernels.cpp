// Predicts planted kernels whose accesses to memory were counted: their times, and the parts of
// computation and memory in them.
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/mean.h"
#include "bench/fitter/bench.h"
#include "bench/fitter/planted_kernels.h"
#include "fitter/mechanisms.h"
#include "fitter/prediction/prediction.h"

namespace apmt::bench {
namespace {

constexpr std::array<KernelCampaign, 8> kCampaigns = {
    {{"1 % noise, misses cross a cache", 30, 0.01, 0.01, 0.01},
     {"5 % noise, misses cross a cache", 30, 0.05, 0.01, 0.01},
     {"5 % noise, misses fall by 20 to 90 %", 0, 0.05, 0.1, 0.8},
     {"5 % noise, misses never change", 0, 0.05, 1, 1},
     {"5 % noise, misses cross a cache, times stray", 30, 0.05, 0.01, 0.01, 1, 0, true, true, false,
      false, 0.05},
     {"5 % noise, misses will cross a cache", 30, 0.05, 0.01, 0.01, 1, 0, true, true, false, false,
      0, KernelCampaign::Ahead::kUnforeseen},
     {"the same, larger caches simulated", 30, 0.05, 0.01, 0.01, 1, 0, true, true, false, false, 0,
      KernelCampaign::Ahead::kForeseen},
     {"8 streaming kernels, 5 % noise", 5, 0.05, 1, 1, 8, 0.6, false, true, true}}};
constexpr std::array<int, 2> kFactors = {2, 8};

/// How good the predictions of one quantity are. Errors are relative to the kernel's time.
class Quality {
 public:
  void add(const TimeEstimate& said, double truth_s, double kernel_s) {
    errors_.push_back(100 * std::abs(said.time_s - truth_s) / kernel_s);
    inside_ += said.low_s <= truth_s && truth_s <= said.high_s;
    score_ += score_80(said.low_s / kernel_s, said.high_s / kernel_s, truth_s / kernel_s);
  }
  double mean_error() const { return mean(errors_); }
  double inside() const { return 100.0 * inside_ / count(); }
  double score() const { return score_ / count(); }
  double count() const { return static_cast<double>(errors_.size()); }

 private:
  std::vector<double> errors_;
  int inside_ = 0;
  double score_ = 0;
};

struct Qualities {
  Quality time, computation, memory;
};
using ByFactor = std::array<Qualities, kFactors.size()>;

ByFactor qualities(const KernelCampaign& campaign, int programs, unsigned long seed) {
  const LawCatalog catalog = read_law_catalog(bench_fit_options().configs);
  std::mt19937_64 random(seed);
  ByFactor of;
  for (int i = 0; i < programs; ++i) {
    const std::vector<PlantedKernel> kernels = random_kernels(random, campaign);
    const Model model = model_of(kernels, campaign, random, catalog);
    const Predictor predictor(model);
    for (std::size_t f = 0; f < kFactors.size(); ++f) {
      const int procs = kFactors[f] * kPlantedProcs.back();
      for (const PredictedKernel& k :
           predictor.predict({.procs = procs, .params = {}, .scaling = {}}).kernels) {
        const PlantedKernel& truth = kernels[k.index];
        const double whole_s = truth.time_s(procs);
        const double comp_s = truth.comp_s / procs * std::pow(procs, truth.stray);
        of[f].time.add(k.time, whole_s, whole_s);
        if (!k.mem) continue;
        of[f].computation.add(*k.comp, comp_s, whole_s);
        of[f].memory.add(*k.mem, whole_s - comp_s, whole_s);
      }
    }
  }
  return of;
}

}  // namespace

void kernels(int programs, unsigned long seed) {
  std::printf(
      "| kernels | times as many processes | n | time: mean error %% | inside 80 %% | score | "
      "without the law by costs: mean error %% | inside 80 %% | score | computation: mean error %% "
      "| inside 80 %% | memory: mean error %% | inside 80 %% |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  Mechanisms on = mechanisms();
  on.times_by_costs = false;
  for (const KernelCampaign& campaign : kCampaigns) {
    const ByFactor with = qualities(campaign, programs, seed);
    const WithMechanisms chosen(on);
    const ByFactor without = qualities(campaign, programs, seed);
    for (std::size_t f = 0; f < kFactors.size(); ++f) {
      const Quality &t = with[f].time, &before = without[f].time;
      const Quality &c = with[f].computation, &m = with[f].memory;
      std::printf(
          "| %s | %d | %.0f | %.2f | %.0f %% | %.3f | %.2f | %.0f %% | %.3f | %.2f | %.0f %% | "
          "%.2f | %.0f %% |\n",
          campaign.label, kFactors[f], t.count(), t.mean_error(), t.inside(), t.score(),
          before.mean_error(), before.inside(), before.score(), c.mean_error(), c.inside(),
          m.mean_error(), m.inside());
    }
  }
}

}  // namespace apmt::bench
