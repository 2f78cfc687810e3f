// Tests of kernel analyses in an experiment: the counters that the analyses add to the runs, and
// their effect on fits.
#include "fitter/kernels/analysed_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "fitter/fit/fit.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double kLineBytes = 64;
constexpr double kRounds = 100;
constexpr double kMemory_s = 100e-9;

CacheSizes caches() {
  return {.source = "planted",
          .l1_bytes = 100 * kLineBytes,
          .l2_bytes = 1000 * kLineBytes,
          .llc_bytes = 64000 * kLineBytes};
}

/// Sweeps over n lines: the stack distance of a line is n - 1.
kernels::KernelAnalysis sweep(const std::string& function, double n) {
  kernels::KernelAnalysis k;
  k.function = k.name = function;
  k.file = "/src/planted.cpp";
  k.mix.emplace();
  k.mix->flops = static_cast<std::uint64_t>(16 * n * kRounds);
  k.mix->instructions = 5 * k.mix->flops;
  k.locality.emplace();
  k.locality->accesses = 8 * n * kRounds;
  k.locality->cold = n;
  const auto far = static_cast<std::uint64_t>(n) - 1;
  k.locality->distances = {{0, 0, 7 * n * kRounds}, {far, far, n * (kRounds - 1)}};
  return k;
}

AnalysedSize analysed(int procs, double lines_per_rank, double lines) {
  AnalysedSize a;
  a.procs = procs;
  a.params = {{"n", lines}};
  a.analysis.kernels = {sweep("_Z4loopv", lines_per_rank)};
  kernels::ScopeCounts scope{"_Z4loopv", "/src/planted.cpp", 1, {}, {}};
  scope.mix.instructions = 1;
  a.analysis.scopes = {scope};
  return a;
}

/// A run in which each rank spends these seconds in loop() (in a clone that gcc made) and in
/// other().
RunProfile run(int procs, double n, double loop_s, double other_s) {
  synthetic::PlantedRun planted;
  planted.procs = procs;
  planted.params = {{"n", n}};
  planted.kernel_s = {{"_Z4loopv.constprop.0", loop_s}, {"_Z5otherv", other_s}};
  return synthetic::profile(planted);
}

/// Runs at the given pairs of process count and n, the number of lines of all ranks together.
Experiment experiment(const std::vector<std::pair<int, double>>& points) {
  std::vector<RunProfile> runs;
  for (const auto& [procs, n] : points)
    runs.push_back(run(procs, n, n / procs * 1e-5, 0.1 * n / procs * 1e-5));
  return make_experiment(std::move(runs));
}

std::vector<double> work(const Experiment& e) {
  std::vector<double> w;
  for (const ExperimentPoint& p : e.points) w.push_back(p.params.at("n"));
  return w;
}

const Counter* counter(const Experiment& e, std::size_t run, const char* kernel,
                       const char* metric) {
  for (const KernelProfile& k : e.runs[run].kernels)
    if (k.id.linkage_name.starts_with(kernel))
      if (const auto c = k.counters.find(metric); c != k.counters.end()) return &c->second;
  return nullptr;
}

TEST(AnalysedCounts, TwoWorkingSetsGiveEveryPointTheAccessesOfEachLevel) {
  Experiment e = experiment({{1, 50000}, {2, 90000}, {4, 50000}, {8, 5000}});
  e.analyses = {analysed(1, 50000, 50000), analysed(4, 12500, 50000)};
  const Experiment with = with_analysed_counts(e, work(e), caches());
  EXPECT_TRUE(with.warnings == e.warnings) << "nothing to warn about";
  for (std::size_t i = 0; i < with.points.size(); ++i) {
    const std::size_t run = with.points[i].runs.front();
    const int procs = with.points[i].procs;
    const double n = with.points[i].params.at("n") / procs;
    const double far = n * (kRounds - 1);
    const auto value = [&](const char* metric) {
      const Counter* c = counter(with, run, "_Z4loopv", metric);
      return c == nullptr ? -1 : c->total() / procs;
    };
    const double near = 0.003 * 8 * n * kRounds;
    EXPECT_NEAR(value("flops"), 16 * n * kRounds, near);
    EXPECT_NEAR(value("hit_L1"), 7 * n * kRounds, near);
    EXPECT_NEAR(value("hit_L2"), n < 1000 ? far : 0, near);
    const bool fits = n <= 64000.0 / procs;  // the ranks of a node share the last level
    EXPECT_NEAR(value("hit_LLC"), n >= 1000 && fits ? far : 0, near) << procs;
    EXPECT_NEAR(value("acc_mm"), n + (fits ? 0 : far), near) << procs;
    EXPECT_EQ(counter(with, run, "_Z4loopv", "acc_mm")->provenance, Provenance::kSimulated);
    EXPECT_EQ(counter(with, run, "_Z4loopv", "instructions"), nullptr)
        << "those of canonical IR are not those of the program";
    EXPECT_EQ(counter(with, run, "_Z5otherv", "acc_mm"), nullptr) << "it was not analysed";
    EXPECT_EQ(with.points[i].grade, Grade::kB);
  }
  EXPECT_EQ(e.grade, Grade::kC);
  EXPECT_EQ(with.grade, Grade::kB);
}

TEST(AnalysedCounts, OneWorkingSetSaysNothingOfTheOthers) {
  Experiment e = experiment({{1, 50000}, {2, 100000}, {4, 50000}});
  e.analyses = {analysed(1, 50000, 50000)};
  const Experiment with = with_analysed_counts(e, work(e), caches());
  EXPECT_NE(counter(with, 0, "_Z4loopv", "acc_mm"), nullptr);
  EXPECT_NE(counter(with, 1, "_Z4loopv", "acc_mm"), nullptr) << "the same working set per rank";
  EXPECT_EQ(counter(with, 2, "_Z4loopv", "acc_mm"), nullptr);
}

TEST(AnalysedCounts, AFunctionThatIsMostlySomethingElseGetsNone) {
  Experiment e = experiment({{1, 50000}, {2, 50000}});
  e.analyses = {analysed(1, 50000, 50000), analysed(2, 25000, 50000)};
  for (const double share : {0.95, 0.85}) {
    for (RunProfile& run : e.runs) {
      KernelProfile& other = run.kernels.back();
      ASSERT_EQ(other.id.linkage_name, "_Z5otherv");
      other.inlined = {{{"_Z4loopv"}, share * other.counters.at("cpu_s").total()}};
    }
    const Experiment with = with_analysed_counts(e, work(e), caches());
    EXPECT_EQ(counter(with, 0, "_Z5otherv", "acc_mm") != nullptr, share > 0.9) << share;
  }
}

TEST(AnalysedCounts, WhatCannotBeUsedIsSaid) {
  Experiment e = experiment({{1, 50000}, {2, 50000}});
  e.analyses = {analysed(1, 50000, 50000)};
  EXPECT_THAT(with_analysed_counts(e, work(e), {}).warnings, Contains(HasSubstr("cache sizes")));
  Experiment threads = e;
  threads.points[0].threads_per_rank = 2;
  EXPECT_THAT(with_analysed_counts(threads, work(e), caches()).warnings,
              Contains(HasSubstr("one thread")));
  Experiment measured = e;
  measured.runs[0].kernels[0].counters["acc_mm"] = {Provenance::kHardware, "LLC_MISSES", 1, {7}};
  EXPECT_THAT(with_analysed_counts(measured, work(e), caches()).warnings,
              Contains(HasSubstr("themselves")));
  Experiment other = e;
  other.analyses.push_back(analysed(2, 25000, 50000));
  other.analyses[1].analysis.processes = 4;
  const Experiment without_it = with_analysed_counts(other, work(e), caches());
  EXPECT_THAT(without_it.warnings, Contains(HasSubstr("with 2 processes was made with 4")));
  EXPECT_NE(counter(without_it, 0, "_Z4loopv", "acc_mm"), nullptr) << "of the other analysis";
  EXPECT_EQ(counter(without_it, 1, "_Z4loopv", "acc_mm"), nullptr);
  other = e;
  other.analyses[0].analysis.processes = 1;
  other.analyses[0].analysis.program = "planted-analysed 1000";
  other.runs[0].command = "planted 50000";
  EXPECT_THAT(with_analysed_counts(other, work(e), caches()).warnings,
              Contains(HasSubstr("is of another input: 'planted-analysed 1000'")));
  Experiment cut = e;
  cut.analyses[0].analysis.kernels[0].locality->is_complete = false;
  EXPECT_THAT(with_analysed_counts(cut, work(e), caches()).warnings,
              Contains(HasSubstr("no kernel has stack distances")));
}

TEST(AnalysedCounts, FitDividesTimeByThem) {
  // A flop takes 2 ns. Half of the time of accesses to memory is not hidden by computation.
  std::vector<RunProfile> runs;
  for (const int procs : {1, 2, 4, 8, 16}) {
    const double n = 300000.0 / procs;
    const bool fits = n <= 64000.0 / procs;
    const double misses = n + (fits ? 0 : n * (kRounds - 1));
    runs.push_back(run(procs, 300000, 16 * n * kRounds * 2e-9 + 0.5 * misses * kMemory_s, 1e-3));
  }
  Experiment e = make_experiment(std::move(runs));
  e.analyses = {analysed(1, 300000, 300000), analysed(8, 37500, 300000)};
  FitOptions options = synthetic::fit_options();
  options.memory.source = "planted machine";
  options.memory.memory_s = kMemory_s;
  options.memory.bandwidth = {{1, 1e12}};
  options.memory.caches = caches();
  const Model model = fit(e, options);
  EXPECT_EQ(model.grade, Grade::kB);
  ASSERT_FALSE(model.kernels.empty());
  // The search for the part in error and the back-test of a refined model fit such a model again.
  const Model smaller = fit_without_largest(e, model, options, read_law_catalog(options.configs));
  EXPECT_EQ(smaller.grade, Grade::kB);
  for (const Model* each : {&model, &smaller}) {
    const KernelModel& kernel = each->kernels.front();
    std::vector<std::string> metrics;
    for (const MetricModel& m : kernel.metrics) metrics.push_back(m.metric);
    EXPECT_THAT(metrics, testing::IsSupersetOf({"acc_mm", "flops", "hit_L1"}));
    EXPECT_TRUE(kernel.law.split.has_value()) << "computation and memory time are divided";
  }
}

}  // namespace
}  // namespace apmt
