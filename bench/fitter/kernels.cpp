// Predicts planted kernels whose accesses to memory were counted: their times, and the parts of
// computation and memory in them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bench/fitter/bench.h"
#include "bench/fitter/planted_kernels.h"
#include "fitter/prediction/prediction.h"

namespace apmt::bench {
namespace {

constexpr std::array<KernelCampaign, 6> kCampaigns = {
    {{"1 % noise, misses cross a cache", 30, 0.01, 0.01, 0.01},
     {"5 % noise, misses cross a cache", 30, 0.05, 0.01, 0.01},
     {"5 % noise, misses fall by 20 to 90 %", 0, 0.05, 0.1, 0.8},
     {"5 % noise, misses never change", 0, 0.05, 1, 1},
     {"5 % noise, misses cross a cache, times stray", 30, 0.05, 0.01, 0.01, 1, 0, true, true, false,
      false, 0.05},
     {"8 streaming kernels, 5 % noise", 5, 0.05, 1, 1, 8, 0.6, false, true, true}}};
constexpr std::array<int, 2> kFactors = {2, 8};

/// How good the predictions of one quantity are. Errors are relative to the kernel's time.
class Quality {
 public:
  void add(const TimeEstimate& said, double truth_s, double kernel_s) {
    errors_.push_back(std::abs(said.time_s - truth_s) / kernel_s);
    inside_ += said.low_s <= truth_s && truth_s <= said.high_s;
    score_ += score_80(said.low_s / kernel_s, said.high_s / kernel_s, truth_s / kernel_s);
  }
  void print(const char* label, int factor, const char* what) {
    if (errors_.empty()) return;
    std::sort(errors_.begin(), errors_.end());
    double sum = 0;
    for (const double e : errors_) sum += e;
    const auto n = static_cast<double>(errors_.size());
    std::printf("| %s | %d | %s | %zu | %.2f | %.2f | %.0f %% | %.3f |\n", label, factor, what,
                errors_.size(), 100 * sum / n, 100 * errors_[errors_.size() / 2], 100 * inside_ / n,
                score_ / n);
  }

 private:
  std::vector<double> errors_;
  int inside_ = 0;
  double score_ = 0;
};

}  // namespace

void kernels(int programs, unsigned long seed) {
  const LawCatalog catalog = read_law_catalog(bench_fit_options().configs);
  std::printf(
      "| kernels | times as many processes | quantity | n | mean error, %% | median | inside "
      "80 %% | score |\n|---|---|---|---|---|---|---|---|\n");
  for (const KernelCampaign& campaign : kCampaigns) {
    std::mt19937_64 random(seed);
    std::array<std::array<Quality, 3>, kFactors.size()> of;
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
          of[f][0].add(k.time, whole_s, whole_s);
          if (!k.mem) continue;
          const double comp_s = truth.comp_s / procs * std::pow(procs, truth.stray);
          of[f][1].add(*k.comp, comp_s, whole_s);
          of[f][2].add(*k.mem, whole_s - comp_s, whole_s);
        }
      }
    }
    for (std::size_t f = 0; f < kFactors.size(); ++f) {
      of[f][0].print(campaign.label, kFactors[f], "time");
      of[f][1].print(campaign.label, kFactors[f], "computation");
      of[f][2].print(campaign.label, kFactors[f], "memory");
    }
  }
}

}  // namespace apmt::bench
