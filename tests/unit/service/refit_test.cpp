// Tests of refits: forecasts of new runs, which runs are compared with which model, and what is
// fitted.

#include "service/refit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitter/prediction/validate.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using testing::find_run;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::planted_run;
using testing::StoreInFolder;

class RefitTest : public ::testing::Test {
 protected:
  std::int64_t push(const std::vector<int>& counts, int repetition = 1,
                    const std::string& version = "v1") {
    std::int64_t application = 0;
    for (const int procs : counts)
      application = here.add(planted_run(procs, repetition, {"", "", version}));
    return application;
  }
  Refit refit_now(std::int64_t application) {
    return refit(*here.store, application, synthetic::fit_options().configs);
  }

  StoreInFolder here;
};

TEST_F(RefitTest, FitsTheSameModelAsApmtFit) {
  const std::int64_t application = push({2, 4, 8});
  EXPECT_TRUE(refit_now(application).is_good);
  const ApplicationState state = *here.store->application(application);
  ASSERT_TRUE(state.newest_good);
  EXPECT_FALSE(state.is_pending());
  const Model model =
      synthetic::fit_runs({synthetic::halo_run(2), synthetic::halo_run(4), synthetic::halo_run(8)});
  EXPECT_EQ(here.store->model_text(state.newest_good->id), format_json(to_json(model)));
  EXPECT_THAT(here.store->report_page(state.newest_good->id), HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(here.store->forecasts({}), IsEmpty()) << "no model stood before these runs";
}

TEST_F(RefitTest, ANewRunFirstJudgesTheModelThatStoodBeforeIt) {
  const std::int64_t application = push({2, 4, 8});
  refit_now(application);
  const ModelInfo standing = *here.store->application(application)->newest_good;
  push({16, 32});
  EXPECT_EQ(refit_now(application).judged, 2);
  const std::vector<Forecast> forecasts = here.store->forecasts({application});
  ASSERT_EQ(forecasts.size(), 2u);
  const Model model =
      model_from_json(parse_json(here.store->model_text(standing.id), "model"), "model");
  for (const Forecast& f : forecasts) {
    const Validation v =
        validate(model, make_experiment({synthetic::profile(synthetic::halo_run(f.procs))}))
            .front();
    EXPECT_EQ(f.model, standing.id);
    EXPECT_EQ(f.predicted_s, v.whole->predicted.time_s) << "to the last digit";
    EXPECT_EQ(f.low_s, v.whole->predicted.low_s);
    EXPECT_EQ(f.high_s, v.whole->predicted.high_s);
    EXPECT_EQ(f.measured_s, v.whole->measured_s);
    EXPECT_EQ(f.is_covered, v.whole->is_covered());
    EXPECT_EQ(f.factor, f.procs / 8.0);
    EXPECT_FALSE(f.is_repeat);
  }
  EXPECT_EQ(refit_now(application).judged, 0) << "each run is judged once";
}

TEST_F(RefitTest, NoRunIsJudgedByAModelThatHasSeenIt) {
  const std::int64_t application = push({2, 4, 8});
  refit_now(application);
  push({16});
  refit_now(application);
  push({32});
  refit_now(application);
  for (const Forecast& f : here.store->forecasts({}))
    EXPECT_THAT(here.store->runs_of_model(f.model),
                ::testing::Not(::testing::Contains(find_run(*here.store, f.run).number)));
  EXPECT_EQ(here.store->forecasts({}).size(), 2u);
}

TEST_F(RefitTest, ARepeatOfAFittedPointIsMarked) {
  const std::int64_t application = push({2, 4, 8});
  refit_now(application);
  RunProfile again = synthetic::profile(synthetic::halo_run(8, 2));
  here.add(planted_run(again, {"", "", "v1"}));
  refit_now(application);
  const std::vector<Forecast> forecasts = here.store->forecasts({});
  ASSERT_EQ(forecasts.size(), 1u);
  EXPECT_TRUE(forecasts[0].is_repeat);
  EXPECT_EQ(forecasts[0].factor, 1);
}

TEST_F(RefitTest, OtherVersionsAreNeverPooled) {
  const std::int64_t first = push({2, 4, 8}, 1, "v1");
  refit_now(first);
  const std::int64_t second = push({2, 4, 8, 16}, 2, "v2");
  ASSERT_NE(first, second);
  refit_now(second);
  EXPECT_THAT(here.store->forecasts({}), IsEmpty());
  EXPECT_EQ(here.store->application(first)->newest_good->max_procs, 8);
  EXPECT_EQ(here.store->application(second)->newest_good->max_procs, 16);
}

TEST_F(RefitTest, TheHistoryNamesTheVersionThatGotSlower) {
  std::int64_t last = 0;
  for (int version = 1; version <= 12; ++version) {
    for (int repetition = 1; repetition <= 3; ++repetition) {
      synthetic::PlantedRun run = synthetic::halo_run(8, repetition);
      const double wobble = 1 + 0.001 * ((version * 5 + repetition) % 7);
      run.kernel_s["sweep"] *= (version < 7 ? 1 : 1.3) * wobble;
      RunProfile profile = synthetic::profile(run);
      profile.started_at = "2026-01-" + std::to_string(10 + version) + "T00:00:00Z";
      last = here.add(planted_run(profile, {"", "", "v" + std::to_string(version)}));
    }
    if (version > 1) continue;
    refit_now(last);
    EXPECT_FALSE(here.store->history("planted", "planted CPU")) << "of one version";
  }
  refit_now(last);
  const std::optional<StoredHistory> history = here.store->history("planted", "planted CPU");
  ASSERT_TRUE(history);
  EXPECT_THAT(parse_json(history->report, "report")["headline"].get<std::string>(),
              HasSubstr("v7"));
  EXPECT_THAT(history->page, HasSubstr("<!DOCTYPE html>"));
}

TEST_F(RefitTest, ARunThatWasTakenOutIsNeitherFittedNorJudged) {
  const std::int64_t application = push({2, 4, 8, 16});
  refit_now(application);
  const NewRun out = planted_run(16, 1, {"", "", "v1"});
  here.store->take_out(here.number_of(out), "disturbed", "me");
  EXPECT_TRUE(here.store->application(application)->is_pending());
  EXPECT_EQ(refit_now(application).judged, 0);
  const ModelInfo model = *here.store->application(application)->newest_good;
  EXPECT_EQ(model.max_procs, 8);
  EXPECT_EQ(here.store->runs_of_model(model.id).size(), 3u);
}

TEST_F(RefitTest, TooFewRunsLeaveAReasonAndTheOldModel) {
  const std::int64_t application = push({4});
  const Refit result = refit_now(application);
  EXPECT_FALSE(result.is_good);
  EXPECT_NE(result.message, "");
  const ApplicationState state = *here.store->application(application);
  EXPECT_FALSE(state.newest_good);
  EXPECT_EQ(state.newest->message, result.message);
  EXPECT_FALSE(state.is_pending()) << "no endless tries";
  push({2, 8});
  EXPECT_TRUE(refit_now(application).is_good);
}

TEST_F(RefitTest, ARunThatTheModelCannotPredictHasANote) {
  const std::int64_t application = push({2, 4, 8});
  refit_now(application);
  RunProfile other = synthetic::profile(synthetic::halo_run(16));
  other.config.params = {{"unknown", 3}};
  here.add(planted_run(other, {"", "", "v1"}));
  refit_now(application);
  const std::vector<Forecast> forecasts = here.store->forecasts({});
  ASSERT_EQ(forecasts.size(), 1u);
  EXPECT_FALSE(forecasts[0].predicted_s);
  EXPECT_NE(forecasts[0].note, "");
}

}  // namespace
}  // namespace apmt::service
