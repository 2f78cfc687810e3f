#include "bench/refine/frequency_step.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#include "fitter/fit/fit.h"
#include "refine/closed_loop.h"
#include "refine/cpi_refinement.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

constexpr int kAt = 256;
constexpr int kReps = 2;
constexpr int kMostSteps = 4;
constexpr double kTarget = 0.1;
constexpr double kUsualHz = 2.5e9;
constexpr double kOtherHz[] = {1.25e9, 1.9e9};
constexpr double kLatency = 80e-9;
constexpr double kInstructions = 1e11;

/// A program with an allreduce and one kernel. The ranks share a fixed number of instructions. The
/// kernel's accesses to memory, summed over the ranks, grow as P^exponent.
struct Program {
  double cpi_core;
  double blocking;
  double accesses;  // at two processes
  double exponent;
  unsigned seed;

  double cycles(int procs, double hz) const {
    return cpi_core * kInstructions + blocking * accesses_at(procs) * kLatency * hz;
  }
  double accesses_at(int procs) const { return accesses * std::pow(procs / 2.0, exponent); }
  static double coll_s(int procs) { return 0.02 * std::log2(procs); }
  double elapsed_s(int procs) const {
    return cycles(procs, kUsualHz) / kUsualHz / procs + coll_s(procs) + 0.1;
  }
  RunProfile measure(int procs, int repetition, double hz) const {
    std::seed_seq words{seed, static_cast<unsigned>(procs), static_cast<unsigned>(repetition),
                        static_cast<unsigned>(hz * 1e-6)};
    std::mt19937 random(words);
    std::normal_distribution<double> normal(1, 0.01);
    const double all_cycles = cycles(procs, hz) * normal(random);
    synthetic::PlantedRun planted;
    planted.procs = procs;
    planted.repetition = repetition;
    planted.kernel_s = {{"sweep", all_cycles / hz / procs}};
    planted.coll_s = coll_s(procs) * normal(random);
    planted.ops = {{"MPI_Allreduce", "collective", 1e3 * procs, 8e3 * procs}};
    RunProfile run = synthetic::profile(planted);
    run.grade = Grade::kA;
    run.config.frequency_hz = hz;
    for (const auto& [metric, total] :
         {std::pair{"cycles", all_cycles},
          {"instructions", kInstructions},
          {"acc_mm", accesses_at(procs) * (1 + 0.2 * (normal(random) - 1))}}) {
      Counter& counter = run.kernels.front().counters[metric];
      counter.provenance = Provenance::kHardware;
      counter.samples.assign(static_cast<std::size_t>(procs), 10'000);
      counter.unit_per_sample = total / procs / 1e4;
    }
    return run;
  }
};

struct Outcome {
  bool is_cpi_named = false;
  bool is_reached = false;
  int steps = 0;
  double core_hours = 0;
};

/// The refinement loop, with calculated runs of a program. The caller's `program` must outlive
/// the loop.
class Loop {
 public:
  Loop(const Program& program, bool has_frequencies) : program_(program) {
    options_.target_error = 0;  // the benchmark knows the true error and decides when to stop
    options_.budget_core_hours = 1e6;
    options_.next.at = kAt;
    options_.next.reps = kReps;
    options_.fit = synthetic::fit_options();
    if (has_frequencies) options_.frequency_runs = kReps * static_cast<int>(std::size(kOtherHz));
    options_.refine = [this](const Experiment& known, Model* model) { refine(known, model); };
    for (const int procs : {2, 4, 8, 16}) add(procs, kUsualHz, &runs_);
  }

  Outcome run() {
    Outcome outcome;
    outcome.is_cpi_named = look(experiment(), options_).culprits.front().is_cpi;
    made_ = 0;
    for (; outcome.steps < kMostSteps && error() > kTarget; ++outcome.steps) {
      LoopResult ignored;
      const auto step = choose_step(look(experiment(), options_), options_, 0, &ignored);
      if (!step) break;
      make(*step);
    }
    outcome.is_reached = error() <= kTarget;
    outcome.core_hours = made_;
    return outcome;
  }
  double error() const {
    Model model = fit(experiment(), options_.fit);
    refine(experiment(), &model);
    const Prediction p = predict(model, {.procs = kAt, .params = {}, .scaling = {}});
    return std::abs(p.time.time_s / program_.elapsed_s(kAt) - 1);
  }

 private:
  Experiment experiment() const { return make_experiment(runs_); }
  void make(const LoopStep& step) {
    if (!step.at_frequencies) {
      add(step.run.procs, kUsualHz, &runs_);
      return;
    }
    for (const double hz : kOtherHz) add(step.run.procs, hz, &at_frequencies_);
    options_.frequency_runs = 0;  // the step at other frequencies is made only once
  }
  void add(int procs, double hz, std::vector<RunProfile>* runs) {
    for (int n = 0; n < kReps; ++n) {
      runs->push_back(program_.measure(procs, ++repetitions_[{procs, hz}], hz));
      made_ += procs * runs->back().times.wall_s.max() / 3600;
    }
  }
  void refine(const Experiment& known, Model* model) const {
    if (at_frequencies_.empty()) return;
    std::vector<FrequencyRun> all;
    for (const RunProfile& run : known.runs) all.push_back({run, std::nullopt});
    for (const RunProfile& run : at_frequencies_) all.push_back({run, run.config.frequency_hz});
    MemoryCosts costs;
    costs.memory_s = kLatency;
    refine_cpi(known, all, costs, options_.fit, model);
  }

  const Program& program_;
  LoopOptions options_;
  std::vector<RunProfile> runs_;
  std::vector<RunProfile> at_frequencies_;
  std::map<std::pair<int, double>, int> repetitions_;
  double made_ = 0;  // core-hours spent
};

}  // namespace

void bench_frequency_step(int cases) {
  std::mt19937 random(11);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  struct Row {
    int reached = 0, steps = 0;
    double core_hours = 0;
  };
  std::map<bool, Row> rows;
  int named = 0, missed = 0;
  for (int n = 0; n < cases; ++n) {
    const Program program{between(0.5, 2), between(0.1, 0.9), between(2e8, 2e9), between(0.2, 1),
                          static_cast<unsigned>(n)};
    if (Loop(program, false).error() <= kTarget) continue;
    ++missed;
    for (const bool has_frequencies : {true, false}) {
      const Outcome outcome = Loop(program, has_frequencies).run();
      named += has_frequencies && outcome.is_cpi_named;
      Row& row = rows[has_frequencies];
      row.reached += outcome.is_reached;
      row.steps += outcome.steps;
      row.core_hours += outcome.core_hours;
    }
  }
  std::printf("\n%d of %d first predictions miss; in %d of these the CPI is named.\n\n", missed,
              cases, named);
  std::printf("| frequencies | target reached | steps | core-hours |\n|---|---|---|---|\n");
  for (const bool has_frequencies : {true, false}) {
    const Row& row = rows[has_frequencies];
    const double count = std::max(missed, 1);
    std::printf("| %s | %d | %.2f | %.2f |\n", has_frequencies ? "can be set" : "cannot",
                row.reached, row.steps / count, row.core_hours / count);
  }
}

}  // namespace apmt
