// Tests of what a prediction contains besides its times: bounds, speed-up, warnings, and its JSON.
#include "fitter/prediction/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/input_error.h"
#include "fitter/fit/fit.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::fit_runs;
using synthetic::halo_run;
using synthetic::PlantedRun;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Scenario at(int procs) { return {.procs = procs, .params = {}, .scaling = {}}; }

std::vector<PlantedRun> campaign() { return {halo_run(2), halo_run(4), halo_run(8)}; }

TEST(Prediction, BoundAndWhereItChanges) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8}) {
    PlantedRun run;
    run.procs = p;
    run.kernel_s = {{"work", 64.0 / p}};
    run.coll_s = 0.25 * std::log2(p);
    run.others_s = 0.01;
    run.ops = {{"MPI_Allreduce", "collective", 100.0 * p, 800.0 * p}};
    runs.push_back(run);
  }
  const Model model = fit_runs(runs);
  const Prediction small = predict(model, at(8));
  EXPECT_EQ(small.bound, "compute+memory");
  ASSERT_TRUE(small.bound_changes_at);
  // Both parts take the same time, 64/P = log2(P)/4, near P = 49.
  EXPECT_NEAR(small.bound_changes_at->procs, 49, 4);
  EXPECT_EQ(small.bound_becomes, "communication");
  EXPECT_EQ(predict(model, at(256)).bound, "communication");
}

TEST(Prediction, SaysWhenCoresPerNodeChangeNothing) {
  Model model = fit_runs(campaign());
  Scenario asked = at(64);
  asked.what_if.cores_per_node = 16;
  const auto says_so = Contains(HasSubstr("cores per node changes nothing"));
  model.max_nodes = 8;
  EXPECT_THAT(predict(model, asked).warnings, says_so);
  EXPECT_THAT(predict(model, at(64)).warnings, Not(says_so));
  asked.what_if.source = "machine profile hpc";
  EXPECT_THAT(predict(model, asked).warnings, Not(says_so));
  asked.what_if.source.clear();
  model.max_nodes = 1;
  EXPECT_THAT(predict(model, asked).warnings, Not(says_so)) << "it moves the node boundary";
}

TEST(Prediction, SpeedupAndEfficiencyAreRelativeToTheSmallestCount) {
  const Model model = fit_runs(campaign());
  const Prediction p = predict(model, at(8));
  const double t2 = model.points[0].known_s;
  ASSERT_TRUE(p.speedup);
  EXPECT_EQ(p.reference_procs, 2);
  EXPECT_NEAR(*p.speedup, t2 / p.time.time_s, 1e-9);
  EXPECT_NEAR(*p.efficiency, *p.speedup / 4, 1e-12);
  ASSERT_TRUE(p.measured_s);
  EXPECT_NEAR(*p.measured_s, model.points[2].known_s, 1e-12);
  EXPECT_FALSE(predict(model, at(16)).measured_s);
}

TEST(Prediction, OneProcessHasNobodyToTalkTo) {
  std::vector<PlantedRun> runs;
  for (const int p : {1, 2}) {
    PlantedRun run = halo_run(p);
    if (p == 2) run.p2p_s = 3;  // a law of P would give one process half of this
    runs.push_back(run);
  }
  const Model model = fit_runs(runs);
  const Prediction alone = predict(model, at(1));
  ASSERT_TRUE(alone.parts.comm_p2p);
  EXPECT_EQ(alone.parts.comm_p2p->high_s, 0);
  EXPECT_NEAR(alone.time.time_s, model.points[0].known_s, 0.02 * alone.time.time_s);
  EXPECT_NEAR(predict(model, at(2)).parts.comm_p2p->time_s, 3, 0.3);
}

TEST(Prediction, TheStepToTheSecondProcessIsNoGrowthThatGoesOn) {
  std::vector<PlantedRun> runs;
  for (const int p : {1, 2})
    for (const int repetition : {1, 2, 3}) {
      PlantedRun run = halo_run(p, repetition);
      run.others_s = (p == 1 ? 0.3 : 0.9) * (1 + 0.02 * repetition);
      runs.push_back(run);
    }
  const Prediction far = predict(fit_runs(runs), at(64));
  ASSERT_TRUE(far.parts.start && far.parts.end);
  EXPECT_LT(far.parts.start->time_s, 3 * 0.45) << "five doublings, each of a few percent";
  EXPECT_GT(far.parts.start->high_s, 3 * 0.45) << "further growth at this rate is not ruled out";
  EXPECT_LT(far.parts.end->time_s, 3 * 0.45);
  EXPECT_GT(far.parts.end->high_s, 3 * 0.45);
}

TEST(Prediction, WarningsAboutDistance) {
  std::vector<PlantedRun> runs = campaign();
  for (PlantedRun& run : runs) run.cpus = 64;
  const Model model = fit_runs(runs);
  EXPECT_THAT(predict(model, at(16)).warnings, IsEmpty());
  EXPECT_THAT(predict(model, at(512)).warnings, Not(Contains(HasSubstr("far extrapolation"))));
  EXPECT_THAT(predict(model, at(640)).warnings,
              Contains("far extrapolation: 80 times the largest profiled process count; record "
                       "runs with more processes"));
  EXPECT_FALSE(predict(model, at(8000)).worthless);
  const Prediction far = predict(model, at(8001));
  EXPECT_TRUE(far.worthless);
  EXPECT_THAT(far.warnings, Contains(HasSubstr("worthless")));
  EXPECT_THAT(predict(model, at(65)).warnings,
              Contains(HasSubstr("never crossed a node")).Times(0));
  EXPECT_THAT(predict(model, at(65)).warnings, Contains(HasSubstr("no run ever crossed a node")));
  EXPECT_THAT(predict(model, at(64)).warnings, Not(Contains(HasSubstr("node boundary"))));
}

/// A model in which these shares of one kernel's accesses miss the caches at 2, 4 and 8 processes.
Model with_misses(const std::vector<double>& misses_of_accesses) {
  std::vector<RunProfile> runs;
  std::size_t i = 0;
  for (const int p : {2, 4, 8}) {
    RunProfile run = profile(halo_run(p));
    const double e = misses_of_accesses[i++];
    for (const auto& [name, count] : {std::pair("acc_mm", 1e9 * e), {"hit_L1", 1e9 * (1 - e)}}) {
      const auto sweep = std::find_if(run.kernels.begin(), run.kernels.end(),
                                      [](const KernelProfile& k) { return k.name == "sweep"; });
      Counter& c = sweep->counters[name];
      c.provenance = Provenance::kHardware;
      c.unit_per_sample = 1;
      c.samples.assign(static_cast<std::size_t>(p),
                       static_cast<std::uint64_t>(std::llround(count / p)));
    }
    runs.push_back(run);
  }
  return fit(make_experiment(std::move(runs)), synthetic::fit_options());
}

TEST(Prediction, KernelsThatMissTheCachesAreNamedWhereTheWorkPerProcessIsNew) {
  const std::string in_memory = "may start or cease to fit into the caches";
  const Model model = with_misses({3e-3, 3e-3, 3e-3});
  EXPECT_THAT(predict(model, at(64)).warnings, Contains(HasSubstr(in_memory)));
  EXPECT_THAT(predict(model, at(64)).warnings, Contains(HasSubstr("'sweep'")));
  EXPECT_THAT(predict(model, at(8)).warnings, Not(Contains(HasSubstr(in_memory))));
  const Model in_cache = with_misses({9e-5, 9e-5, 5e-5});
  EXPECT_THAT(predict(in_cache, at(64)).warnings, Not(Contains(HasSubstr(in_memory))));
}

TEST(Prediction, AChangeOfRegimeAmongTheRunsIsSaid) {
  const Model model = with_misses({3e-3, 1e-3, 2e-5});
  EXPECT_THAT(predict(model, at(64)).warnings, Contains(HasSubstr("regime change: 'sweep'")));
  EXPECT_THAT(predict(model, at(64)).warnings, Contains(HasSubstr("2.0e-05 to 3.0e-03")));
}

TEST(Prediction, CollectivesThatWouldMoveOtherSizesAreNamed) {
  std::vector<PlantedRun> runs;
  for (const int procs : {4, 16, 64}) {
    runs.push_back(synthetic::halo_run(procs));
    // All processes together gather 1 MiB, a hundred times.
    runs.back().ops.push_back({"MPI_Allgather", "collective", 100.0 * procs, 100.0 * (1 << 20)});
    // Only the root counts the bytes of a broadcast.
    runs.back().ops.push_back({"MPI_Bcast", "collective", 100.0 * procs, 100.0 * 4096});
    runs.back().coll_s *= 10;
  }
  const Model model = fit_runs(runs);
  EXPECT_THAT(predict(model, at(128)).warnings, Contains(HasSubstr("another algorithm")).Times(0));
  EXPECT_THAT(predict(model, at(1024)).warnings,
              Contains(AllOf(HasSubstr("MPI_Allgather would move 1 KiB per process, but 16 KiB to "
                                       "256 KiB in the runs"),
                             HasSubstr("another algorithm")))
                  .Times(1));
  EXPECT_THAT(predict(model, at(1024)).warnings, Contains(HasSubstr("would move")).Times(1));
}

/// Times of transfer with small errors, so that their laws are not exact. The calls of
/// MPI_Allgather get smaller with more processes.
Model with_smaller_calls(bool is_virtual, int cpus) {
  std::vector<RunProfile> runs;
  double error = 0.01;
  for (const int procs : {4, 8, 16, 32}) {
    PlantedRun run = synthetic::halo_run(procs);
    run.ops.back() = {"MPI_Allgather", "collective", 100.0 * procs, 100.0 * (1 << 20)};
    run.coll_s = (1e-3 * procs + 0.1) * (1 + error);
    run.p2p_s = 0.1 * (1 + error);
    run.cpus = cpus;
    error = -error;
    runs.push_back(profile(run));
    runs.back().config.is_virtual = is_virtual;
  }
  return fit(make_experiment(std::move(runs)), synthetic::fit_options());
}

double relative_width(const std::optional<TimeEstimate>& time) {
  return (time->high_s - time->low_s) / time->time_s;
}

/// An MPI library chooses algorithms by the size of calls; on simulated clusters they are fixed.
TEST(Prediction, CollectivesWithCallsOfOtherSizesAreLessCertain) {
  const auto width = [](bool is_virtual, int procs) {
    return relative_width(predict(with_smaller_calls(is_virtual, 0), at(procs)).parts.comm_coll);
  };
  EXPECT_GT(width(false, 512), 1.1 * width(true, 512)) << "a sixteenth of the smallest size";
  EXPECT_DOUBLE_EQ(width(false, 16), width(true, 16)) << "sizes as in the runs";
}

TEST(Prediction, CommunicationBetweenNodesThatWasNeverSeenIsLessCertain) {
  const auto width = [](int cpus, int procs) {
    return relative_width(predict(with_smaller_calls(true, cpus), at(procs)).parts.comm_p2p);
  };
  EXPECT_GT(width(64, 65), 1.5 * width(128, 65));
  EXPECT_DOUBLE_EQ(width(64, 64), width(128, 64)) << "still on the node";
}

TEST(Prediction, LowCoverageIsSaid) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8}) {
    PlantedRun run;
    run.procs = p;
    run.kernel_s = {{"work", 10.0 / p}};
    for (int i = 0; i < 30; ++i) run.kernel_s["small" + std::to_string(i)] = 0.3 / p;
    runs.push_back(run);
  }
  const Model model = fit_runs(runs);
  EXPECT_NEAR(model.summary.min_coverage, 10.0 / 19, 0.01);
  EXPECT_THAT(predict(model, at(16)).warnings, Contains(HasSubstr("coverage is low")));
  // The model and the prediction have the same warning, so a report that shows both prints it once.
  EXPECT_THAT(model.warnings, Contains(coverage_warning(model.summary)));
  EXPECT_THAT(predict(model, at(16)).warnings, Contains(coverage_warning(model.summary)));
}

TEST(Prediction, MissingPartsAreNullAndNamed) {
  std::vector<PlantedRun> runs = campaign();
  for (PlantedRun& run : runs) run.oversubscribed = true;
  const Model model = fit_runs(runs);
  const Prediction p = predict(model, at(64));
  EXPECT_FALSE(p.parts.comm_p2p);
  EXPECT_FALSE(p.parts.start);
  EXPECT_FALSE(p.parts.end);
  EXPECT_TRUE(p.parts.comp);
  EXPECT_EQ(p.bound, "unknown");
  EXPECT_THAT(p.missing, Contains("comm_coll_s"));
  EXPECT_THAT(
      p.warnings,
      Contains(HasSubstr("the total does not include point-to-point communication, collectives")));
  const Json json = to_json(p);
  EXPECT_TRUE(json["parts"]["comm_p2p_s"].is_null());
  EXPECT_TRUE(json["parts"]["mem_s"].is_null());
  EXPECT_TRUE(json["parts"]["comm_wait_s"].is_null());
  EXPECT_NEAR(p.time.time_s, p.parts.comp->time_s, 1e-12);
  // Laws of counts are still fitted.
  EXPECT_EQ(model.summary.exact_count_laws, 4);
}

TEST(Prediction, JsonHasThePromisedKeys) {
  const Json json = to_json(predict(fit_runs(campaign()), at(64)));
  for (const char* key :
       {"procs", "time_s", "low_s", "high_s", "confidence", "extrapolation_factor", "grade",
        "bound", "parts", "kernels", "backtest", "warnings", "speedup", "efficiency", "params"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key :
       {"comp_s", "mem_s", "comm_p2p_s", "comm_coll_s", "comm_wait_s", "start_s", "end_s"})
    EXPECT_TRUE(json["parts"].contains(key)) << key;
  ASSERT_FALSE(json["kernels"].empty());
  for (const char* key : {"name", "time_s", "low_s", "high_s", "bound"})
    EXPECT_TRUE(json["kernels"][0].contains(key)) << key;
  EXPECT_EQ(json["grade"], "C");
  EXPECT_DOUBLE_EQ(json["extrapolation_factor"], 8);
}

TEST(Prediction, PartsAndKernelsAddUp) {
  std::vector<PlantedRun> runs = campaign();
  for (PlantedRun& run : runs) run.sample_s = 0.01;
  const Prediction p = predict(fit_runs(runs), at(64));
  double kernels = 0;
  for (const PredictedKernel& k : p.kernels) kernels += k.time.time_s;
  EXPECT_NEAR(kernels, p.parts.comp->time_s, 1e-12);
  const double sum = p.parts.comp->time_s + p.parts.comm_p2p->time_s + p.parts.comm_coll->time_s +
                     p.parts.comm_other->time_s + p.parts.off_cpu->time_s + p.parts.start->time_s +
                     p.parts.end->time_s;
  EXPECT_NEAR(sum, p.time.time_s, 1e-12);
}

TEST(Prediction, AProblemBeyondTheProfiledSizesIsExtrapolated) {
  std::vector<PlantedRun> runs;
  for (const int procs : {2, 4, 8})
    for (const double n : {512, 1024}) runs.push_back(halo_run(procs, 1, n));
  const Model model = fit_runs(runs);
  const auto said = [&](double n) {
    return predict(model, {.procs = 8, .params = {{"n", n}}, .scaling = {}});
  };
  EXPECT_DOUBLE_EQ(said(1024).size_factor, 1);
  EXPECT_FALSE(said(1024).is_beyond_sizes);
  EXPECT_FALSE(said(700).is_beyond_sizes);
  const Prediction beyond = said(4096);
  EXPECT_DOUBLE_EQ(beyond.extrapolation_factor, 1);
  EXPECT_DOUBLE_EQ(beyond.size_factor, 16) << "work is n^2";
  EXPECT_TRUE(beyond.is_beyond_sizes);
  EXPECT_EQ(to_json(beyond).at("size_factor"), 16);
  // Problem sizes that grew with the process count also grow in the prediction.
  std::vector<PlantedRun> weak;
  for (const int procs : {2, 4, 8}) weak.push_back(halo_run(procs, 1, 128 * procs));
  const Model grown = fit_runs(weak);
  const Prediction ahead = predict(grown, {.procs = 64, .params = {}, .scaling = {}});
  EXPECT_GT(ahead.size_factor, 1);
  EXPECT_FALSE(ahead.is_beyond_sizes);
}

TEST(Prediction, WiderConfidenceWiderInterval) {
  std::vector<PlantedRun> runs = campaign();
  for (PlantedRun& run : runs) run.sample_s = 0.01;
  const Model model = fit_runs(runs);
  double before = 0;
  for (const double confidence : {0.5, 0.8, 0.95}) {
    Scenario scenario = at(64);
    scenario.confidence = confidence;
    const Prediction p = predict(model, scenario);
    EXPECT_GT(p.time.high_s - p.time.low_s, before);
    before = p.time.high_s - p.time.low_s;
  }
}

TEST(Prediction, NonsenseIsRefused) {
  const Model model = fit_runs(campaign());
  EXPECT_THROW(predict(model, at(0)), InputError);
  EXPECT_THROW(predict(model, at(-4)), InputError);
  Scenario unknown = at(8);
  unknown.params = {{"m", 3}};
  EXPECT_THROW(predict(model, unknown), InputError);
  Scenario negative = at(8);
  negative.params = {{"n", -3}};
  EXPECT_THROW(predict(model, negative), InputError);
  Scenario sure = at(8);
  sure.confidence = 1;
  EXPECT_THROW(predict(model, sure), InputError);
}

/// Efficiency is relative to the measured time, here one that the laws miss.
TEST(Prediction, AChangeOfNothingKeepsTheEfficiency) {
  Model model =
      synthetic::fit_runs({synthetic::halo_run(2), synthetic::halo_run(4), synthetic::halo_run(8)});
  Scenario scenario{.procs = 64, .params = {}, .scaling = {}};
  const double of_laws = *predict(model, scenario).efficiency;
  model.points.front().known_s *= 1.3;
  const double as_is = *predict(model, scenario).efficiency;
  EXPECT_NEAR(as_is, 1.3 * of_laws, 1e-3);
  scenario.what_if.of(Knob::kLatency) = KnobChange{KnobChange::Kind::kFactor, 1 + 1e-9};
  EXPECT_NEAR(*predict(model, scenario).efficiency, as_is, 1e-6);
}

}  // namespace
}  // namespace apmt
