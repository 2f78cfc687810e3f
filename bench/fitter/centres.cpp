// The predicted time can be computed from a model's random draws in three ways (kCentres). This
// benchmark shows which one has the smallest error.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "bench/fitter/bench.h"
#include "bench/fitter/planted.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/scenario_sizes.h"

namespace apmt::bench {
namespace {

constexpr std::array<int, 3> kFactors = {2, 8, 32};
constexpr std::array<const char*, 3> kCentres = {"median of the whole", "medians of parts",
                                                 "medians of laws"};
using Errors = std::array<std::vector<double>, kCentres.size()>;

std::array<double, kCentres.size()> centres(const Model& model, const ModelDraws& laws, int procs) {
  const double work =
      ScenarioSizes(model, {.procs = procs, .params = {}, .scaling = {}}).work_at(procs);
  const DrawnTimes drawn = laws.at(procs, work);
  double of_parts = 0, of_laws = 0;
  for (const DrawnTimes::OfPart& part : drawn.parts) {
    of_parts += median(part.sum);
    for (const Draws& law : part.laws) of_laws += median(law);
  }
  return {median(drawn.whole), of_parts, of_laws};
}

void print_row(const char* label, int factor, std::size_t centre, std::vector<double> errors) {
  std::sort(errors.begin(), errors.end());
  double sum = 0;
  for (const double e : errors) sum += e;
  const auto at = [&](double q) {
    return 100 * errors[static_cast<std::size_t>(q * static_cast<double>(errors.size() - 1))];
  };
  std::printf("| %s | %d | %zu | %s | %.2f | %.2f | %.2f |\n", label, factor, errors.size(),
              kCentres[centre], 100 * sum / static_cast<double>(errors.size()), at(0.5), at(0.9));
}

void campaign(const char* label, const PlantedOptions& options, int programs, unsigned long seed) {
  std::mt19937_64 random(seed);
  std::array<Errors, kFactors.size()> errors;
  for (int i = 0; i < programs; ++i) {
    const Trial trial = random_trial(random, options);
    const ModelDraws laws(trial.model);
    for (std::size_t f = 0; f < kFactors.size(); ++f) {
      const int procs = kFactors[f] * trial.program.procs.back();
      const auto said = centres(trial.model, laws, procs);
      for (std::size_t c = 0; c < said.size(); ++c)
        errors[f][c].push_back(std::abs(said[c] / trial.program.total_s(procs) - 1));
    }
  }
  for (std::size_t f = 0; f < kFactors.size(); ++f)
    for (std::size_t c = 0; c < kCentres.size(); ++c)
      print_row(label, kFactors[f], c, errors[f][c]);
  std::fflush(stdout);
}

}  // namespace

void centres(int programs, unsigned long seed) {
  std::printf(
      "| campaign | factor | n | centre | mean error %% | median %% | 90th percentile %% |\n"
      "|---|---|---|---|---|---|---|\n");
  campaign("strong, 1 % noise", {.noise = 0.01}, programs, seed);
  campaign("strong, 5 % noise", {.noise = 0.05}, programs, seed + 1);
  campaign("strong, 10 % noise", {.noise = 0.1}, programs, seed + 2);
  campaign("weak, 5 % noise", {.weak = true, .noise = 0.05}, programs, seed + 3);
  campaign("strong, 5 % noise, instructions", {.noise = 0.05, .with_counters = true}, programs,
           seed + 4);
}

}  // namespace apmt::bench
