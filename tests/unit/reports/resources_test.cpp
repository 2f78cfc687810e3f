// Tests of the numbers of processes for a deadline or a budget.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "fitter/prediction/outlook.h"
#include "reports/resources_text.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;

class ResourcesTest : public ::testing::Test {
 protected:
  Resources ask_for(const ResourceLimit& limit) {
    return find_resources(model, predictor, {}, limit);
  }
  double time_s(int procs) {
    return predictor.glance({.procs = procs, .params = {}, .scaling = {}}).time.time_s;
  }

  const Model model = synthetic::fit_runs({synthetic::halo_run(2), synthetic::halo_run(4),
                                           synthetic::halo_run(8), synthetic::halo_run(16)});
  const Predictor predictor{model};
};

TEST_F(ResourcesTest, ADeadlineIsMetByTheCheapestCount) {
  const Resources answer = ask_for({.deadline_s = 2});
  ASSERT_TRUE(answer.choice);
  EXPECT_LE(answer.choice->time.time_s, 2);
  EXPECT_DOUBLE_EQ(answer.choice->time.time_s, time_s(answer.choice->procs));
  EXPECT_GT(time_s(answer.choice->procs - std::max(1, answer.choice->procs / 15)), 2)
      << "fewer processes would be too slow";
  ASSERT_TRUE(answer.sure);
  EXPECT_LE(answer.sure->time.high_s, 2);
  EXPECT_GE(answer.sure->procs, answer.choice->procs);
  EXPECT_EQ(answer.choice->core_hours, answer.choice->procs * answer.choice->time.time_s / 3600);
}

TEST_F(ResourcesTest, ABudgetIsSpentOnTheShortestTime) {
  const double budget = 1.2 * 2 * time_s(2) / 3600;
  const Resources answer = ask_for({.budget_core_hours = budget});
  ASSERT_TRUE(answer.choice);
  EXPECT_LE(answer.choice->core_hours, budget);
  EXPECT_GT(answer.choice->procs, 2);
}

TEST_F(ResourcesTest, SaysSoIfNothingMeetsTheLimit) {
  const Resources answer = ask_for({.deadline_s = 1e-6});
  EXPECT_FALSE(answer.choice);
  ASSERT_TRUE(answer.fastest);
  EXPECT_THAT(resource_sentences(answer)[0], HasSubstr("No process count meets the deadline of 1"));
  EXPECT_THAT(resource_sentences(answer)[1], HasSubstr("The shortest time"));
  EXPECT_TRUE(to_json(answer)["choice"].is_null());
  const Resources poor = ask_for({.budget_core_hours = 1e-9});
  EXPECT_FALSE(poor.choice);
  EXPECT_LT(poor.cheapest->core_hours, poor.fastest->core_hours);
  EXPECT_THAT(resource_sentences(poor)[1], HasSubstr("The fewest core-hours: "));
}

TEST_F(ResourcesTest, NamesProcessesNodesTimeAndCost) {
  EXPECT_THAT(resource_sentences(ask_for({.deadline_s = 2}))[0],
              ::testing::ContainsRegex("^For the deadline of 2.*s: [0-9]+ processes.*80 %.* and "
                                       "[0-9.]+ core-hours[.]$"));
}

TEST_F(ResourcesTest, NamesTheProblemSizes) {
  const Resources answer = ask_for({.deadline_s = 2});
  EXPECT_EQ(answer.choice->params,
            predictor.predict({.procs = answer.choice->procs, .params = {}, .scaling = {}}).params);
  ASSERT_FALSE(answer.choice->params.empty());
  EXPECT_THAT(resource_sentences(answer)[0], HasSubstr(" for n = "));
  EXPECT_EQ(to_json(answer)["choice"]["params"], Json(answer.choice->params));
}

TEST_F(ResourcesTest, WantsOneLimit) {
  EXPECT_THROW(ask_for({}), InputError);
  EXPECT_THROW(ask_for({1, 1}), InputError);
  EXPECT_THROW(ask_for({.deadline_s = -1}), InputError);
}

}  // namespace
}  // namespace apmt
