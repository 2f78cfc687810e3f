// Tests of refining a model with profiles of runs in which the test has set the cycles, accesses
// and frequencies.
#include "refine/cpi_refinement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/input_error.h"
#include "base/mean.h"
#include "base/temporary_folder.h"
#include "fitter/fit/fit.h"
#include "refine/closed_loop.h"
#include "refine/frequency_campaign.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr double kCore = 1.4;
constexpr double kBlocking = 0.3;
constexpr double kLatency = 80e-9;
constexpr double kBaseHz = 2.5e9;

MemoryCosts costs() {
  MemoryCosts c;
  c.memory_s = kLatency;
  return c;
}

void count(KernelProfile* kernel, const char* metric, double total, int ranks) {
  Counter& c = kernel->counters[metric];
  c.provenance = Provenance::kHardware;
  c.samples.assign(static_cast<std::size_t>(ranks), 10'000'000);
  c.unit_per_sample = total / ranks / 1e7;
}

/// The memory accesses of a sweep of 1e11 instructions: one per hundred instructions, plus a fixed
/// number for each rank.
double usual_accesses(int procs) { return 1e9 + 2e7 * procs; }

RunProfile run_at(int procs, double hz, int repetition = 1,
                  const std::function<double(int)>& accesses_at = usual_accesses) {
  const double instructions = 1e11;
  const double accesses = accesses_at(procs);
  const double cycles = kCore * instructions + kBlocking * accesses * kLatency * hz;
  synthetic::PlantedRun planted;
  planted.procs = procs;
  planted.repetition = repetition;
  planted.kernel_s = {{"sweep", cycles / hz / procs}};
  planted.coll_s = 0.01 * procs;
  RunProfile run = synthetic::profile(planted);
  run.grade = Grade::kA;
  run.config.frequency_hz = hz;
  KernelProfile& sweep = run.kernels.front();
  count(&sweep, "cycles", cycles, procs);
  count(&sweep, "instructions", instructions, procs);
  count(&sweep, "acc_mm", accesses, procs);
  count(&sweep, "stall", kBlocking * accesses * kLatency * hz, procs);
  return run;
}

class CpiRefinementTest : public ::testing::Test {
 protected:
  void record(const fs::path& folder, const RunProfile& run) const {
    const fs::path dir = folder_.path() / folder /
                         ("apmt-planted.p" + std::to_string(run.config.procs) + ".r" +
                          std::to_string(run.config.repetition));
    fs::create_directories(dir);
    write_run_profile(run, dir / "profile.json");
  }
  void record_experiment() const {
    for (const int procs : {2, 4, 8, 16}) record("apmt-planted", run_at(procs, kBaseHz));
  }
  fs::path path(const char* name) const { return folder_.path() / name; }
  const TemporaryFolder folder_;
};

TEST_F(CpiRefinementTest, RunsAtOtherFrequenciesRefineTheModel) {
  record_experiment();
  record("apmt-planted/frequency/1.20GHz", run_at(8, 1.2e9));
  record("apmt-planted/frequency/1.80GHz", run_at(8, 1.8e9));
  const Experiment experiment = read_experiment(path("apmt-planted"));
  ASSERT_EQ(experiment.runs.size(), 4U) << "runs at other frequencies are not repetitions";
  const std::vector<FrequencyRun> runs = read_frequency_runs({path("apmt-planted")});
  ASSERT_EQ(runs.size(), 6U);
  Model model = fit(experiment, synthetic::fit_options());
  model.warnings = {"the laws do not fit what was measured: of the laws before"};
  const RefinementSummary summary =
      refine_cpi(experiment, runs, costs(), synthetic::fit_options(), &model);
  EXPECT_TRUE(model.warnings.empty()) << "the refined laws fit";
  ASSERT_EQ(summary.refined(), 1);
  EXPECT_TRUE(model.backtest.possible);
  Model without_backtest = fit_points(experiment, synthetic::fit_options(),
                                      read_law_catalog(synthetic::fit_options().configs));
  refine_cpi(experiment, runs, costs(), synthetic::fit_options(), &without_backtest);
  EXPECT_EQ(without_backtest.backtest.procs, 0) << "nobody asked for one";
  EXPECT_EQ(summary.kernels[0].line.from, "frequencies");
  // The CPI before the refinement comes from stalls and is exact here. (A blocking factor before
  // the refinement would need the costs of all levels of memory.)
  EXPECT_NEAR(*summary.kernels[0].line.cpi_before, kCore, 0.01);
  write_model(model, path("model.json"));
  const Model read = read_model(path("model.json"));
  const CpiRefinement& refined = read.kernels.front().refined.value();
  EXPECT_EQ(refined.from, "frequencies");
  EXPECT_NEAR(refined.cpi_core, kCore, 0.01 * kCore);
  EXPECT_NEAR(*refined.bf_mem, kBlocking, 0.01 * kBlocking);
  EXPECT_DOUBLE_EQ(refined.frequency_hz, kBaseHz);
  // The division into computation and memory uses the runs at other frequencies, too.
  const MemorySplit& split = read.kernels.front().law.split.value();
  EXPECT_EQ(split.from, "frequencies");
  const double memory_s = kBlocking * usual_accesses(8) * kLatency;
  const double share = memory_s / (memory_s + 1e11 * kCore / kBaseHz);
  EXPECT_NEAR(mean(split.shares(8, 1)), share, 0.01);
  EXPECT_LT(split.share_quantile(0.9, 8, 1) - split.share_quantile(0.1, 8, 1), 0.1);
}

TEST(StalledShare, IsOfTheTimeThatAllAccessesTakeOneByOne) {
  RunProfile run = run_at(8, kBaseHz);
  KernelProfile& sweep = run.kernels.front();
  MemoryCosts all = costs();
  EXPECT_FALSE(stalled_share_of_memory(run, sweep.id, all)) << "hits of caches were not counted";
  count(&sweep, "hit_L1", 1e10, 8);
  count(&sweep, "hit_L2", 1e9, 8);
  count(&sweep, "hit_LLC", 1e8, 8);
  all.l1_cycles = 4;
  all.l2_cycles = 12;
  all.llc_s = 20e-9;
  // The times at 2.5 GHz: 16 s of L1, 4.8 s of L2, 2 s of the last level, 92.8 s of memory. Of
  // these 115.6 s, the core is stalled for 27.84 s.
  EXPECT_NEAR(stalled_share_of_memory(run, sweep.id, all).value_or(0), 27.84 / 115.6, 1e-6);
}

TEST(FrequenciesInTheLoop, AreMeasuredWhereACpiIsToBlame) {
  const auto many = [](int procs) { return 4e8 * procs; };  // the same number on each rank
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8}) runs.push_back(run_at(procs, kBaseHz, 1, many));
  const Experiment experiment = make_experiment(runs);
  std::vector<FrequencyRun> slower;
  LoopOptions options;
  options.target_error = 0.05;
  options.budget_core_hours = 100;
  options.next.at = 32;
  options.fit = synthetic::fit_options();
  options.frequency_runs = 2;
  options.refine = [&](const Experiment& known, Model* model) {
    if (slower.empty()) return;
    std::vector<FrequencyRun> all = slower;
    for (const RunProfile& run : known.runs) all.push_back({run, std::nullopt});
    refine_cpi(known, all, costs(), options.fit, model);
  };
  LoopHands hands;
  hands.measured = [&] { return experiment; };
  hands.spent = [] { return 0.0; };
  hands.make = [&](const LoopStep& step) {
    EXPECT_TRUE(step.at_frequencies);
    EXPECT_EQ(step.run.procs, 8);
    for (const double hz : {1.2e9, 1.8e9})
      slower.push_back({run_at(step.run.procs, hz, 1, many), hz});
    return step.at_frequencies && slower.size() == 2;
  };
  const LoopResult result = run_loop(options, hands);
  EXPECT_EQ(result.end, LoopResult::End::kTarget) << result.why;
  EXPECT_GT(result.before.backtest_error, options.target_error);
  EXPECT_LT(result.after.backtest_error, 0.01);
  ASSERT_EQ(result.before.culprits.front().words, "CPI of sweep");
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_THAT(result.steps.front().because, HasSubstr("CPI of sweep"));
  // If `frequency_runs` is 0, the next step must not be at other frequencies.
  options.frequency_runs = 0;
  LoopResult ignored;
  slower.clear();
  const auto step = choose_step(look(experiment, options), options, 0, &ignored);
  EXPECT_TRUE(!step || !step->at_frequencies);
}

TEST_F(CpiRefinementTest, RefinedTwiceGivesTheSame) {
  record_experiment();
  record("slow", run_at(8, 1.2e9));
  const Experiment experiment = read_experiment(path("apmt-planted"));
  const auto runs = read_frequency_runs({path("apmt-planted"), path("slow")});
  Model model = fit(experiment, synthetic::fit_options());
  refine_cpi(experiment, runs, costs(), synthetic::fit_options(), &model);
  const std::string once = to_json(model).dump();
  refine_cpi(experiment, runs, costs(), synthetic::fit_options(), &model);
  EXPECT_EQ(to_json(model).dump(), once);
}

TEST_F(CpiRefinementTest, OneFrequencyLeavesOnlyTheSpreadAndSaysSo) {
  record_experiment();
  const Experiment experiment = read_experiment(path("apmt-planted"));
  Model model = fit(experiment, synthetic::fit_options());
  const auto runs = read_frequency_runs({path("apmt-planted")});
  const RefinementSummary summary =
      refine_cpi(experiment, runs, costs(), synthetic::fit_options(), &model);
  // Without noise, the range from 1.04e9 to 1.32e9 accesses is wide enough to determine CPI_core.
  ASSERT_EQ(summary.refined(), 1) << summary.kernels[0].line.why;
  EXPECT_EQ(model.kernels.front().refined->from, "spread");
  EXPECT_NEAR(model.kernels.front().refined->cpi_core, kCore, 0.05);
}

TEST_F(CpiRefinementTest, WithoutInstructionsThereIsNothingToRefine) {
  RunProfile bare = run_at(2, kBaseHz);
  bare.kernels.front().counters.erase("instructions");
  record("apmt-planted", bare);
  bare = run_at(4, kBaseHz);
  bare.kernels.front().counters.erase("instructions");
  record("apmt-planted", bare);
  const Experiment experiment = read_experiment(path("apmt-planted"));
  Model model = fit(experiment, synthetic::fit_options());
  try {
    refine_cpi(experiment, read_frequency_runs({path("apmt-planted")}), costs(),
               synthetic::fit_options(), &model);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
  }
}

/// A run of one rank, with the CPU seconds and cycles per second of each thread.
RunProfile threaded(const std::vector<std::pair<double, double>>& threads, double hz) {
  RunProfile run = run_at(1, hz);
  run.times.frequency_hz.per_rank = {hz};
  for (const auto& [cpu_s, rate] : threads)
    run.threads.push_back({0, 1, cpu_s, 1000, cpu_s * rate});
  return run;
}

TEST(ThreadFrequency, TimeInTheKernelIsNoLowFrequency) {
  // A run with two threads at 2.4 GHz. One of them spends a third of its time in the operating
  // system's kernel, where no cycles are counted.
  const RunFrequency f = measured_frequency(threaded({{2, 2.4e9}, {3, 1.6e9}}, 2.4e9)).value();
  EXPECT_DOUBLE_EQ(f.hz, 2.4e9);
  EXPECT_EQ(f.spread, 0);
}

TEST(ThreadFrequency, AThreadFasterThanItsRankIsTold) {
  const RunFrequency f = measured_frequency(threaded({{2, 2.4e9}, {2, 1.2e9}}, 1.8e9)).value();
  EXPECT_GT(f.spread, 0.3);
  EXPECT_EQ(f.slowest, "a thread of rank 0");
  EXPECT_DOUBLE_EQ(f.lowest_hz, 1.2e9);
  EXPECT_DOUBLE_EQ(f.highest_hz, 2.4e9);
}

TEST(ThreadFrequency, AThreadOfAFewSamplesTellsNothing) {
  RunProfile run = threaded({{2, 1.8e9}, {2, 1.8e9}, {0.01, 2.4e9}}, 1.8e9);
  run.threads.back().samples = 9;
  EXPECT_EQ(measured_frequency(run)->spread, 0);
}

TEST_F(CpiRefinementTest, AFolderSaysWhichFrequencyWasSet) {
  record("frequency/1.20GHz", run_at(8, 1.6e9));
  EXPECT_DOUBLE_EQ(read_frequency_runs({folder_.path()}).front().asked_hz.value(), 1.2e9);
  EXPECT_EQ(frequency_folder(2.4e9), "2.40GHz");
  EXPECT_FALSE(frequency_of_folder("apmt-halo2d").has_value());
  EXPECT_THROW(read_frequency_runs({path("nowhere")}), InputError);
}

TEST_F(CpiRefinementTest, WithoutAnyWayToSetAFrequencyItSaysWhatIsNeeded) {
  FrequencyCampaign campaign;
  campaign.root = folder_.path();
  campaign.campaign.launch.command = {"mpirun", "-np", "{p}", "./app"};
  try {
    run_frequencies(campaign);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
    EXPECT_THAT(error.hint(), HasSubstr("srun"));
    EXPECT_THAT(error.hint(), HasSubstr("--manual"));
  }
  campaign.campaign.launch.command.front() = "srun";
  EXPECT_EQ(frequency_way(campaign), "srun --cpu-freq");
  EXPECT_THROW(chosen_frequencies(campaign), InputError);
  campaign.frequencies_hz = {2.4e9, 1.2e9, 1.2001e9};
  EXPECT_EQ(chosen_frequencies(campaign).size(), 2U);
}

}  // namespace
}  // namespace apmt
