// For planted programs (whose true scaling is known), measures the errors of predictions at 2 to 32
// times the largest profiled process count, and how often their intervals contain the median time
// of noisy runs there.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "bench/fitter/bench.h"
#include "bench/fitter/informed.h"
#include "bench/fitter/planted.h"
#include "fitter/prediction/prediction.h"
#include "fitter/runs/spread.h"

namespace apmt::bench {
namespace {

constexpr std::array<int, 5> kFactors = {2, 4, 8, 16, 32};

struct Scores {
  std::vector<double> error;  // |time / truth - 1|
  std::vector<double> oracle_error;
  std::vector<double> informed_error;
  double covered = 0;
  double interval_score = 0;  // of ln(time), for the 80 % interval
  double informed_covered = 0;
  double informed_score = 0;
  double count = 0;

  void add(const Prediction& p, double truth_s, double seen_s, std::optional<double> oracle,
           const std::optional<Informed::Answer>& informed) {
    error.push_back(std::abs(p.time.time_s / truth_s - 1));
    if (oracle) oracle_error.push_back(std::abs(*oracle / truth_s - 1));
    const double low = std::log(std::max(p.time.low_s, 1e-300));
    const double high = std::log(p.time.high_s);
    const double y = std::log(seen_s);
    covered += low <= y && y <= high;
    interval_score += score_80(low, high, y);
    count += 1;
    if (!informed) return;
    informed_error.push_back(std::abs(informed->median_s / truth_s - 1));
    informed_covered += informed->low_s <= seen_s && seen_s <= informed->high_s;
    informed_score += score_80(std::log(informed->low_s), std::log(informed->high_s), y);
  }
};

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

void print_row(const char* label, int factor, const Scores& s) {
  const double m = 100 * quantile(s.error, 0.5), n = 100 * quantile(s.error, 0.9);
  const double im = 100 * quantile(s.informed_error, 0.5);
  const double in = 100 * quantile(s.informed_error, 0.9);
  const double om = 100 * quantile(s.oracle_error, 0.5), on = 100 * quantile(s.oracle_error, 0.9);
  const auto ratio = [](double ours, double oracles) {
    char text[32] = "-";  // shown if the oracle's error is unknown or tiny
    if (oracles > 0.005 && ours > 0) std::snprintf(text, sizeof text, "%.2f", ours / oracles);
    return std::string(text);
  };
  const auto oracles = [&s](double error) {
    char text[32] = "-";
    if (!s.oracle_error.empty()) std::snprintf(text, sizeof text, "%.2f", error);
    return std::string(text);
  };
  char informed[64] = "- | -";  // shown if the informed predictor was not run
  if (!s.informed_error.empty())
    std::snprintf(informed, sizeof informed, "%.0f %% | %.3f", 100 * s.informed_covered / s.count,
                  s.informed_score / s.count);
  std::printf(
      "| %s | %d | %.0f | %.2f | %s | %s | %s | %.2f | %s | %s | %s | %.0f %% | %.3f | %s |\n",
      label, factor, s.count, m, oracles(om).c_str(), ratio(m, om).c_str(), ratio(im, om).c_str(),
      n, oracles(on).c_str(), ratio(n, on).c_str(), ratio(in, on).c_str(),
      100 * s.covered / s.count, s.interval_score / s.count, informed);
}

/// How many intervals contain what was seen: of whole times, and of kernels.
struct Covered {
  int wholes = 0, wholes_inside = 0;
  int kernels = 0, kernels_inside = 0;

  void add(const Prediction& p, const PlantedProgram& program,
           const std::vector<RunProfile>& there) {
    const auto holds = [](const TimeEstimate& said, double seen_s) {
      return said.low_s <= seen_s && seen_s <= said.high_s;
    };
    wholes += 1;
    wholes_inside += holds(p.time, median_of(there, elapsed_s));
    const std::vector<PlantedPart> parts = parts_of(program);
    for (std::size_t i = 0; i < program.kernels.size(); ++i)
      for (const PredictedKernel& k : p.kernels) {
        if (k.name != parts[i].truth->name) continue;
        kernels += 1;
        kernels_inside += holds(k.time, median_of(there, parts[i].measured));
      }
  }
};
using ByCounts = std::map<std::size_t, Covered>;  // by the number of profiled process counts

/// Adds to *noisy if the program's times have noise and its parts are known.
void campaign(const char* label, const PlantedOptions& options, int experiments, unsigned long seed,
              ByCounts* noisy) {
  std::mt19937_64 random(seed);
  std::array<Scores, kFactors.size()> scores;
  for (int i = 0; i < experiments; ++i) {
    const auto [program, runs, model] = random_trial(random, options);
    const Predictor predictor(model);
    std::optional<Informed> informed;
    if (options.with_parts && options.noise > 0) informed.emplace(program, runs, options);
    for (std::size_t f = 0; f < kFactors.size(); ++f) {
      const int target = kFactors[f] * program.procs.back();
      const Prediction p = predictor.predict({.procs = target, .params = {}, .scaling = {}});
      const std::vector<RunProfile> there = runs_at(program, target, options, random);
      const double truth = program.total_s(target);
      std::optional<double> oracle;  // absent if only the total time is known
      if (options.with_parts) oracle = oracle_s(program, runs, target);
      std::optional<Informed::Answer> bound;
      if (informed) bound = informed->at(target);
      scores[f].add(p, truth, median_of(there, elapsed_s), oracle, bound);
      if (informed) (*noisy)[program.procs.size()].add(p, program, there);
    }
  }
  for (std::size_t f = 0; f < kFactors.size(); ++f) print_row(label, kFactors[f], scores[f]);
  std::fflush(stdout);
}

}  // namespace

void accuracy(int experiments, unsigned long seed, const std::string& only) {
  std::printf(
      "| campaign | factor | n | median error %% | oracle's | ratio | informed's ratio | 90th "
      "percentile %% | oracle's | ratio | informed's ratio | coverage of 80 %% | interval score "
      "(ln "
      "T) | informed's coverage | informed's score "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  ByCounts noisy;
  const auto run = [&](const std::string& label, const PlantedOptions& options, int count,
                       unsigned long with_seed) {
    if (label.starts_with(only)) campaign(label.c_str(), options, count, with_seed, &noisy);
  };
  run("strong, no noise", {.noise = 0, .sample_s = 1e-9}, experiments / 5, seed);
  run("weak, no noise", {.weak = true, .noise = 0, .sample_s = 1e-9}, experiments / 5, seed);
  run("strong, 5 % noise", {.noise = 0.05}, experiments, seed + 1);
  run("weak, 5 % noise", {.weak = true, .noise = 0.05}, experiments / 2, seed + 2);
  run("strong, 5 % noise, instructions", {.noise = 0.05, .with_counters = true}, experiments,
      seed + 1);
  run("weak, 5 % noise, instructions", {.weak = true, .noise = 0.05, .with_counters = true},
      experiments / 2, seed + 2);
  run("strong, 1 % noise", {.noise = 0.01}, experiments / 2, seed + 3);
  run("strong, 10 % noise", {.noise = 0.1}, experiments / 2, seed + 4);
  run("strong, total only, 5 % noise", {.noise = 0.05, .with_parts = false}, experiments / 2,
      seed + 5);
  std::printf(
      "\n| learned from | whole times | inside 80 %% | times of kernels | inside 80 %% |\n"
      "|---|---|---|---|---|\n");
  for (const auto& [counts, c] : noisy)
    std::printf("| %zu counts, noisy times | %d | %.0f %% | %d | %.0f %% |\n", counts, c.wholes,
                100.0 * c.wholes_inside / c.wholes, c.kernels,
                100.0 * c.kernels_inside / c.kernels);
}

}  // namespace apmt::bench
