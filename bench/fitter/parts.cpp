// Finds intervals that are too wide or too narrow: compares the intervals for each part of planted
// programs with those of the informed predictor (informed.h).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "bench/fitter/bench.h"
#include "bench/fitter/informed.h"
#include "bench/fitter/planted.h"
#include "fitter/prediction/prediction.h"
#include "fitter/runs/spread.h"

namespace apmt::bench {
namespace {

/// How the intervals for one kind of part compare with the measurements.
struct Intervals {
  int below = 0;  // measurements below the interval
  int above = 0;
  std::vector<double> widths;  // of the intervals, in ln(time)
  double score = 0;

  void add(double low_s, double high_s, double seen_s) {
    const double low = std::log(std::max(low_s, 1e-300)), high = std::log(high_s);
    below += seen_s < low_s;
    above += seen_s > high_s;
    widths.push_back(high - low);
    score += score_80(low, high, std::log(seen_s));
  }
  void print() const {
    const auto n = static_cast<double>(widths.size());
    std::printf(" %.0f %% | %.0f %% | %.0f %% | %.2f | %.3f |", 100 * (n - below - above) / n,
                100 * below / n, 100 * above / n, median(widths), score / n);
  }
};

struct Row {
  Intervals ours;
  Intervals informed;
  double share = 0;  // shares of the whole time, summed over all cases

  void add(const TimeEstimate& said, const Informed::Answer& bound, double seen_s, double whole_s) {
    ours.add(said.low_s, said.high_s, seen_s);
    informed.add(bound.low_s, bound.high_s, seen_s);
    share += seen_s / whole_s;
  }
};

std::string label(const PlantedTime& time, bool is_kernel) {
  if (!is_kernel) return time.name;
  std::string text = "kernels of";
  for (const PlantedTerm& t : time.terms)
    text += (&t == &time.terms.front() ? " " : " + ") + t.name;
  return text;
}

TimeEstimate said_of(const Prediction& p, const PlantedProgram& program, const PlantedTime& part) {
  const auto known = [](const std::optional<TimeEstimate>& e) {
    return e.value_or(TimeEstimate{});
  };
  if (&part == &program.p2p) return known(p.parts.comm_p2p);
  if (&part == &program.coll) return known(p.parts.comm_coll);
  if (&part == &program.others) return known(p.parts.start);
  for (const PredictedKernel& k : p.kernels)
    if (k.name == part.name) return k.time;
  return {};  // a kernel without its own law, because it is so small
}

void table(const char* campaign, const PlantedOptions& options, int experiments,
           unsigned long seed) {
  std::mt19937_64 random(seed);
  std::map<int, std::map<std::string, Row>> rows;  // by extrapolation factor
  for (int i = 0; i < experiments; ++i) {
    const auto [program, runs, model] = random_trial(random, options);
    const Predictor predictor(model);
    const Informed informed(program, runs, options);
    for (const int factor : {2, 4, 8, 16}) {
      const int target = factor * program.procs.back();
      const Prediction p = predictor.predict({.procs = target, .params = {}, .scaling = {}});
      const std::vector<RunProfile> there = runs_at(program, target, options, random);
      const double whole_s = median_of(there, elapsed_s);
      std::map<std::string, Row>& here = rows[factor];
      here["the whole"].add(p.time, informed.at(target), whole_s, whole_s);
      const std::vector<PlantedPart> parts = parts_of(program);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const TimeEstimate said = said_of(p, program, *parts[k].truth);
        if (!(said.high_s > 0)) continue;
        here[label(*parts[k].truth, k < program.kernels.size())].add(
            said, informed.part_at(k, target), median_of(there, parts[k].measured), whole_s);
      }
    }
  }
  for (const auto& [factor, here] : rows)
    for (const auto& [name, row] : here) {
      const std::size_t n = row.ours.widths.size();
      std::printf("| %s | %d | %s | %zu | %.0f %% |", campaign, factor, name.c_str(), n,
                  100 * row.share / static_cast<double>(n));
      row.ours.print();
      row.informed.print();
      std::printf("\n");
    }
  std::fflush(stdout);
}

}  // namespace

void parts(int experiments, unsigned long seed) {
  std::printf(
      "| campaign | factor | part | n | of the whole | inside 80 %% | below | above | width (ln T) "
      "| score (ln T) | informed: inside | below | above | width | score |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  table("strong, 5 % noise", {.noise = 0.05}, experiments, seed);
  table("weak, 5 % noise", {.weak = true, .noise = 0.05}, experiments, seed);
}

}  // namespace apmt::bench
