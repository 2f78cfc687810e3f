// Tests of comparing the analytical answer with the learned one.
#include "devices/learned/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "devices/learned/aiwc_features.h"
#include "devices/learned/random.h"
#include "reports/devices/learned.h"
#include "reports/render.h"
#include "tests/unit/devices/made.h"

namespace apmt::learned {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A model that was learned from planted data: the speed-up on "gpu" is work-items / 256, whatever
/// the number of instructions.
const LearnedModel& model() {
  static const LearnedModel trained = [] {
    Random random(5);
    DataSet data;
    data.head = {
        .title = "planted",
        .source = "a test",
        .licence = "MIT",
        .notice = "",
        .reference = "cpu",
        .definitions = {.name = kAiwcName,
                        .version = kAiwcOpencl,
                        .features = {{"workitems", 0.5}, {"total_instruction_count", 0.5}}},
        .devices = {{"cpu", "cpu", {}}, {"gpu", "gpu", {}}}};
    for (int i = 0; i < 120; ++i) {
      const double items = std::round(std::exp2(16 * random.uniform()));
      data.runs.push_back({.application = std::to_string(i % 10),
                           .kernel = std::to_string(i),
                           .input = "",
                           .suite = "",
                           .features = {items, std::round(std::exp2(10 + 8 * random.uniform()))},
                           .times_s = {1, 256 / items}});
    }
    return train_model(std::move(data),
                       {.learners = {LearnerKind::kForest}, .splits = {}, .trees = 30});
  }();
  return trained;
}

AskedKernel kernel_of(std::uint64_t work_items) {
  kernels::KernelAnalysis kernel = devices::testing::made_kernel();
  kernel.aiwc = kernels::Aiwc{};
  kernel.aiwc->work_item = "work-item";
  kernel.aiwc->work_items = work_items;
  kernel.aiwc->instructions = 10'000;
  return {kernel.name, aiwc_features(kernel, model().data.head.definitions, "analysis.json"),
          kernel};
}

/// Cards with which the analytical answer (match) is that the GPU is `factor` times as fast.
Cards cards_with(double factor) {
  return {{"cpu", devices::testing::made_device("box")},
          {"gpu", devices::testing::made_device("fast", factor)}};
}

struct Answers {
  Advice advice;
  Comparison comparison;
  std::string text;
};

Answers answers_for(const AskedKernel& kernel, const Cards& cards) {
  const Advice advice = advise(model(), kernel);
  const Comparison comparison = compare(model(), kernel, advice, cards);
  return {advice, comparison, render_text(make_advice_report(advice, comparison))};
}

TEST(Comparison, AgreesWhereBothSeeASpeedUp) {
  const Answers found = answers_for(kernel_of(30'000), cards_with(8));
  ASSERT_EQ(found.comparison.devices.size(), 1u);
  EXPECT_EQ(found.comparison.devices[0].device, "gpu");
  EXPECT_NEAR(found.comparison.devices[0].speed_up, 8, 1e-9);
  EXPECT_TRUE(found.comparison.devices[0].is_compared);
  EXPECT_FALSE(found.comparison.devices[0].disagreement);
  EXPECT_THAT(found.text, AllOf(HasSubstr("Analytical answer"), HasSubstr("agrees")));
  const Json json = to_json(found.comparison);
  EXPECT_EQ(json["devices"][0]["device"], "gpu");
  EXPECT_EQ(json["devices"][0]["agrees"], true);
  EXPECT_EQ(json["devices"][0]["bottleneck"], "slow memory");
  EXPECT_TRUE(json["devices"][1]["agrees"].is_null());
}

TEST(Comparison, SaysWhichBoundsAndFeaturesMakeTheDifference) {
  const Answers found = answers_for(kernel_of(4), cards_with(8));
  const auto& differs = found.comparison.devices.at(0).disagreement;
  ASSERT_TRUE(differs);
  EXPECT_EQ(differs->threshold, 1);
  EXPECT_LT(differs->probability, 0.5);
  ASSERT_EQ(differs->causes.size(), 1u);
  EXPECT_EQ(differs->causes[0].feature, "workitems");
  EXPECT_EQ(differs->causes[0].here, 4);
  EXPECT_GT(differs->causes[0].probability, differs->probability);
  EXPECT_THAT(
      found.text,
      AllOf(HasSubstr("On gpu, a speed-up above 1 is possible by match but unlikely"),
            HasSubstr("slow memory there and by slow memory on cpu"), HasSubstr("workitems (4.00;"),
            HasSubstr("differs: "), Not(HasSubstr("instruction_count (10000;"))));
  const Json json = to_json(found.comparison)["devices"][0];
  EXPECT_EQ(json["agrees"], false);
  EXPECT_EQ(json["disagreement"]["causes"][0]["feature"], "workitems");
}

TEST(Comparison, DevicesThatDifferAlikeShareASentence) {
  const Advice advice = advise(model(), kernel_of(4));
  Comparison comparison = compare(model(), kernel_of(4), advice, cards_with(8));
  DeviceComparison other = comparison.devices.at(0);
  other.device = "second";
  devices::DevicePrediction prediction = *comparison.prediction("gpu");
  prediction.device = "second";
  comparison.match->predictions.push_back(prediction);
  comparison.devices.push_back(other);
  EXPECT_THAT(render_text(make_advice_report(advice, comparison)), HasSubstr("On gpu and second,"));
  comparison.devices.back().disagreement->causes.clear();
  EXPECT_THAT(
      render_text(make_advice_report(advice, comparison)),
      AllOf(HasSubstr("On gpu,"), HasSubstr("On second,"), HasSubstr("No feature alone makes")));
}

TEST(Comparison, TheLowestThresholdThatTheyDifferAboutCounts) {
  const Answers found = answers_for(kernel_of(30'000), cards_with(3));
  const auto& differs = found.comparison.devices.at(0).disagreement;
  ASSERT_TRUE(differs);
  EXPECT_EQ(differs->threshold, 5);
  EXPECT_THAT(found.text, HasSubstr("a speed-up above 5 is likely by the learned answer"));
  EXPECT_GT(differs->probability, 0.5);
}

TEST(Comparison, WithoutALearnedAnswerThereIsNothingToCompare) {
  AskedKernel far = kernel_of(1'000'000'000'000);
  const Answers found = answers_for(far, cards_with(8));
  EXPECT_TRUE(found.advice.is_outside);
  EXPECT_FALSE(found.comparison.devices.at(0).is_compared);
  EXPECT_TRUE(to_json(found.comparison)["devices"][0]["agrees"].is_null());
  EXPECT_THAT(found.text, HasSubstr("match"));
}

TEST(Comparison, SaysWhyThereIsNone) {
  AskedKernel kernel = kernel_of(4);
  kernel.analysis.reset();
  EXPECT_THAT(answers_for(kernel, cards_with(8)).text,
              HasSubstr("There is none: the file has features only"));
  kernel = kernel_of(4);
  EXPECT_THAT(answers_for(kernel, {}).text, HasSubstr("no device of the model has a card"));

  Cards cards = cards_with(8);
  cards.erase("gpu");
  const Answers alone = answers_for(kernel, cards);
  EXPECT_THAT(alone.comparison.without_card, ElementsAre("gpu"));
  EXPECT_TRUE(alone.comparison.devices.empty());
  EXPECT_THAT(alone.text, HasSubstr("No card: gpu"));

  cards = cards_with(8);
  cards.erase("cpu");
  EXPECT_THAT(answers_for(kernel, cards).text, HasSubstr("the reference, cpu, has no card"));

  kernel.analysis->locality.reset();
  const Answers bare = answers_for(kernel, cards_with(8));
  EXPECT_THAT(bare.text, AllOf(HasSubstr("the analysis lacks stack distances"),
                               HasSubstr("match has no time for the reference")));
}

}  // namespace
}  // namespace apmt::learned
