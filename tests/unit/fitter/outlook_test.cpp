// Tests of how far a program scales, with laws whose answers are known.
#include "fitter/prediction/outlook.h"

#include <gtest/gtest.h>

#include "base/input_error.h"
#include "tests/unit/fitter/sane.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::fit_runs;
using synthetic::PlantedRun;

/// 64 / P seconds of work and log2(P) / 4 seconds in MPI_Allreduce.
std::vector<PlantedRun> campaign() {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8}) {
    PlantedRun run;
    run.procs = p;
    run.params = {{"n", 100}};
    run.kernel_s = {{"work", 64.0 / p}};
    run.coll_s = 0.25 * std::log2(p);
    run.others_s = 0;
    run.ops = {{"MPI_Allreduce", "collective", 100.0 * p, 800.0 * p}};
    runs.push_back(run);
  }
  return runs;
}

Scenario any_count() { return {.procs = 8, .params = {}, .scaling = {}}; }

TEST(Outlook, EfficiencyVerdictAndLeastTime) {
  const Model model = fit_runs(campaign());
  const Predictor predictor(model);
  const Outlook o = look_ahead(predictor, model, any_count());
  EXPECT_EQ(o.why_not, "");
  Scenario half = any_count();
  half.confidence = 0.5;
  EXPECT_EQ(look_ahead(predictor, model, half).confidence, 0.5);
  // Efficiency is one half where P times the time, 64 + P log2(P) / 4, is twice its value at P = 2,
  // which is 64.5: at P = 46.9.
  ASSERT_TRUE(o.half_efficiency);
  EXPECT_NEAR(o.half_efficiency->procs, 48, 2);
  ASSERT_EQ(o.verdicts.size(), 2u);
  EXPECT_EQ(o.verdicts[0].bound, "compute+memory");
  EXPECT_EQ(o.verdicts[1].bound, "communication");
  EXPECT_NEAR(o.verdicts[1].from.procs, 49, 4);
  // The time is shortest where 64 / P^2 = 1 / (4 P ln 2): at P = 256 ln 2 = 177.
  ASSERT_TRUE(o.fastest);
  EXPECT_NEAR(o.fastest->procs.procs, 177, 25);
  EXPECT_NEAR(o.fastest->time_s, 64 / 177.4 + std::log2(177.4) / 4, 0.01);
  EXPECT_FALSE(o.still_falling);
  EXPECT_FALSE(o.cheapest);
  expect_no_nan(to_json(o));
}

TEST(Outlook, TimesAreThoseOfPredictions) {
  const Model model = fit_runs(campaign());
  const Predictor predictor(model);
  const Outlook o = look_ahead(predictor, model, any_count(), 10.0);
  for (const auto& choice : {o.fastest, o.cheapest}) {
    ASSERT_TRUE(choice);
    const Prediction p =
        predictor.predict({.procs = choice->procs.procs, .params = {}, .scaling = {}});
    EXPECT_DOUBLE_EQ(p.time.time_s, choice->time_s);
    EXPECT_DOUBLE_EQ(choice->core_hours, choice->procs.procs * choice->time_s / 3600);
  }
}

TEST(Outlook, FewestCoreHoursWithinADeadline) {
  const Model model = fit_runs(campaign());
  const Predictor predictor(model);
  // The deadline is met from P = 37.9 on, where 64 / P + log2(P) / 4 = 3. Fewer processes are
  // cheaper but miss it.
  const Outlook o = look_ahead(predictor, model, any_count(), 3.0);
  ASSERT_TRUE(o.cheapest);
  EXPECT_LE(o.cheapest->time_s, 3);
  EXPECT_NEAR(o.cheapest->procs.procs, 38, 3);
  EXPECT_TRUE(to_json(o)["cheapest_in_time"]["procs_interval"].is_null());
  // Only the fastest process count meets this deadline.
  const Outlook tight = look_ahead(predictor, model, any_count(), o.fastest->time_s * 1.0001);
  ASSERT_TRUE(tight.cheapest);
  EXPECT_LE(tight.cheapest->time_s, o.fastest->time_s * 1.0001);
  EXPECT_FALSE(look_ahead(predictor, model, any_count(), 0.5).cheapest);
}

/// apmt predict --deadline and apmt ask --deadline.
TEST(Outlook, ADeadlineHasOneAnswer) {
  const Model model = fit_runs(campaign());
  const Predictor predictor(model);
  for (const double deadline_s : {30.0, 10.0, 5.0, 3.0, 2.5}) {
    const Outlook o = look_ahead(predictor, model, any_count(), deadline_s);
    const Resources asked =
        find_resources(model, predictor, any_count(), {.deadline_s = deadline_s});
    ASSERT_TRUE(o.cheapest && asked.choice) << deadline_s;
    EXPECT_EQ(o.cheapest->procs.procs, asked.choice->procs) << deadline_s;
  }
}

TEST(Outlook, ADeadlineIsAboveZero) {
  const Model model = fit_runs(campaign());
  const Predictor predictor(model);
  for (const double deadline_s : {0.0, -1.0})
    EXPECT_THROW(look_ahead(predictor, model, any_count(), deadline_s), InputError);
}

TEST(Outlook, AllParallelNeverStopsPaying) {
  std::vector<PlantedRun> runs = campaign();
  for (PlantedRun& run : runs) run.coll_s = 0;
  const Model model = fit_runs(runs);
  const Outlook o = look_ahead(Predictor(model), model, any_count());
  EXPECT_FALSE(o.half_efficiency);
  EXPECT_EQ(o.verdicts.size(), 1u);
  EXPECT_TRUE(o.still_falling);
  EXPECT_EQ(o.fastest->procs.procs, o.to_procs);
  EXPECT_EQ(o.to_procs, 8000);
}

TEST(Outlook, WorkThatGrowsHasNoLeastTime) {
  const Model model = fit_runs(campaign());
  Scenario weak = any_count();
  weak.scaling = Scaling::kWeak;
  EXPECT_FALSE(look_ahead(Predictor(model), model, weak, 10.0).fastest);
}

TEST(Outlook, AWhatIfThatCannotBeAnsweredAheadLeavesItOpen) {
  // Messages and bytes are proportional to each other, so the latency is unknown. With 8 processes
  // their time is too small to matter, but with many more it is not.
  std::vector<PlantedRun> runs = {synthetic::halo_run(2), synthetic::halo_run(4),
                                  synthetic::halo_run(8)};
  for (PlantedRun& run : runs) run.p2p_s *= 50;
  const Model model = fit_runs(runs);
  Scenario scenario = any_count();
  scenario.what_if.of(Knob::kLatency) = KnobChange{KnobChange::Kind::kFactor, 0.5};
  const Predictor predictor(model);
  EXPECT_NO_THROW(predictor.predict(scenario));
  const Outlook o = look_ahead(predictor, model, scenario);
  EXPECT_NE(o.why_not.find("latency and bandwidth cannot be separated"), std::string::npos)
      << o.why_not;
  EXPECT_FALSE(o.fastest);
}

TEST(Outlook, MissingPartsLeaveItOpen) {
  std::vector<PlantedRun> runs = campaign();
  for (PlantedRun& run : runs) run.oversubscribed = true;
  const Model model = fit_runs(runs);
  const Outlook o = look_ahead(Predictor(model), model, any_count());
  EXPECT_FALSE(o.why_not.empty());
  EXPECT_FALSE(o.fastest);
  EXPECT_TRUE(to_json(o)["fastest"].is_null());
}

}  // namespace
}  // namespace apmt
