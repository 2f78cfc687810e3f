#include "devices/learned/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "tests/paths.h"
#include "tests/unit/learned/planted.h"
#include "tests/unit/learned/small_data.h"

namespace apmt::learned {
namespace {

using testing::HasSubstr;

const LearnedModel& planted_model() {
  static const LearnedModel model = train_model(
      planted_data(1, 3), {.learners = {LearnerKind::kForest}, .splits = {}, .trees = 30});
  return model;
}

AskedKernel kernel_with(double first) {
  return {.title = "app/kernel", .features = {first, 0.1, -0.1, 0.2, 0}};
}

TEST(Model, IsTheSameAfterAFile) {
  const TemporaryFolder folder;
  for (const LearnerKind kind : {LearnerKind::kForest, LearnerKind::kNnge}) {
    const LearnedModel model =
        train_model(planted_data(2, 2), {.learners = {kind}, .splits = {}, .trees = 10});
    const auto file = folder.path() / "model.json";
    write_file_atomically(file, to_text(model));
    const LearnedModel again = read_model(file);
    EXPECT_EQ(to_text(again), to_text(model));
    EXPECT_EQ(to_json(advise(again, kernel_with(1))), to_json(advise(model, kernel_with(1))));
  }
}

/// The shipped model is made by apmt learn train -o configs/learned/aiwc.model.json
TEST(Model, TheShippedOneIsMadeOfTheShippedData) {
  const std::string folder = source_dir() + "/configs/learned/";
  const LearnedModel model = train_model(read_data_set(folder + "aiwc.csv"),
                                         {.learners = {LearnerKind::kForest}, .splits = {}});
  EXPECT_TRUE(to_text(model) == read_whole_file(folder + "aiwc.model.json"))
      << "make it again: apmt learn train -o configs/learned/aiwc.model.json";
}

TEST(Model, DamageIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "model.json";
  const std::string text = to_text(planted_model());
  for (const auto& [what, instead] : std::vector<std::pair<std::string, std::string>>{
           {"\"forest\": 0", "\"forest\": 7"},
           {"\"features\": [0", "\"features\": [99"},
           {"apmt-learned-model", "apmt-model"},
           {"\"format_version\": \"1.0\"", "\"format_version\": \"2.0\""},
           {"\"device\": \"gpu\"", "\"device\": \"tpu\""}}) {
    write_file_atomically(file, with(text, what, instead));
    EXPECT_THROW(read_model(file), InputError) << what;
  }
}

/// Each of these changes to a model would make the classifier read beyond its data, never end, or
/// answer with numbers that are not finite.
TEST(Model, AClassifierMustFitItsQuestion) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "model.json";
  const auto model_of = [](LearnerKind kind) {
    return parse_json(
        to_text(train_model(planted_data(2, 1), {.learners = {kind}, .splits = {}, .trees = 2})),
        "model");
  };
  // Writes with dump(), because the part `schemas` validates all that format_json() writes
  // (keep_json.cpp), and these models are wrong.
  const auto refuses = [&](const Json& model) {
    write_file_atomically(file, model.dump());
    EXPECT_THROW(read_model(file), InputError);
  };
  for (const LearnerKind kind : {LearnerKind::kNnge, LearnerKind::kNeighbour}) {
    const Json good = model_of(kind);
    write_file_atomically(file, format_json(good));
    EXPECT_NO_THROW(read_model(file));
    Json bad = good;
    bad["questions"][0]["features"].push_back(0);
    refuses(bad);
    bad = good;
    bad["questions"][0]["classifier"]["classes"] = 3;
    refuses(bad);
    bad = good;
    bad["seed"] = -1;
    refuses(bad);
    bad = good;
    const char* numbers = kind == LearnerKind::kNnge ? "range" : "x";
    bad["questions"][0]["classifier"][numbers][0][0] = 1e200;
    refuses(bad);
  }
  const Json good = model_of(LearnerKind::kForest);
  Json bad = good;
  bad["forests"] = {{"one", 1}};
  refuses(bad);
  for (const auto& [column, value] :
       {std::pair("feature", Json(7)), std::pair("feature", Json(1e300)),
        std::pair("below", Json(0.5)), std::pair("below", Json(0)),
        std::pair("threshold", Json(1e200)), std::pair("examples", Json(1e6))}) {
    bad = good;
    bad["forests"][0][0][column][0] = value;
    refuses(bad);
  }
}

TEST(Advice, FollowsThePlantedRule) {
  const Advice fast = advise(planted_model(), kernel_with(1.5));
  const Advice slow = advise(planted_model(), kernel_with(-1.5));
  ASSERT_FALSE(fast.is_outside);
  ASSERT_EQ(fast.speed_ups.size(), 3u);
  EXPECT_EQ(fast.reference, "cpu");
  EXPECT_GT(*fast.speed_ups[0].probability, 0.8);
  EXPECT_LT(*slow.speed_ups[0].probability, 0.2);
  EXPECT_LE(fast.speed_ups[1].probability, fast.speed_ups[0].probability);
  ASSERT_EQ(fast.nearest.size(), 3u);
  EXPECT_LE(fast.nearest[0].distance, fast.nearest[1].distance);
  EXPECT_EQ(fast.nearest[0].differences.size(), 3u);
  EXPECT_EQ(fast.nearest[0].speed_ups.count("gpu"), 1u);
}

TEST(Advice, OutsideWhatWasLearnedThereIsNoAnswer) {
  const Advice advice = advise(planted_model(), kernel_with(40));
  EXPECT_TRUE(advice.is_outside);
  EXPECT_TRUE(advice.speed_ups.empty());
  EXPECT_EQ(advice.nearest[0].differences[0].feature, "f0");
  EXPECT_EQ(advice.nearest[0].differences[0].here, 40);
}

TEST(Advice, FromOneApplicationEveryOtherKernelIsOutside) {
  LearnedModel model = planted_model();
  for (KernelRun& run : model.data.runs) run.application = "one";
  const Advice advice = advise(model, kernel_with(1));
  EXPECT_TRUE(advice.is_outside);
  EXPECT_EQ(advice.limit, 0);
}

TEST(Advice, AbstainsWhereTheBaseRateIsAsGood) {
  LearnedModel model = planted_model();
  model.questions[0].brier = model.questions[0].base_brier;
  const Advice advice = advise(model, kernel_with(1));
  EXPECT_FALSE(advice.speed_ups[0].probability);
  EXPECT_THAT(advice.speed_ups[0].abstains, HasSubstr("base rate"));
  EXPECT_TRUE(advice.speed_ups[1].probability);
}

TEST(Advice, OtherDefinitionsAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "analysis.json";
  const std::string analysis =
      R"({"format": "apmt-kernel-features", "format_version": "1.0", "kernel": "app/k",
          "definitions": {"name": "planted", "version": "1"},
          "features": {"f0": 1, "f1": 0, "f2": 0, "f3": 0, "f4": 0}})";
  const FeatureDefinitions& definitions = planted_model().data.head.definitions;
  write_file_atomically(file, analysis);
  const std::vector<AskedKernel> kernels = read_kernels(file, definitions);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].title, "app/k");
  EXPECT_EQ(kernels[0].features[0], 1);
  EXPECT_EQ(advise(planted_model(), kernels[0]).kernel, "app/k");

  write_file_atomically(file, with(analysis, "\"version\": \"1\"", "\"version\": \"2\""));
  EXPECT_THROW(read_kernels(file, definitions), InputError);
  write_file_atomically(file, with(analysis, "\"f0\": 1", "\"f0\": \"many\""));
  EXPECT_THROW(read_kernels(file, definitions), InputError);
  write_file_atomically(file, with(analysis, "\"f0\": 1, ", ""));
  try {
    advise(planted_model(), read_kernels(file, definitions)[0]);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("features are missing: f0"));
  }
  write_file_atomically(folder.path() / "small.csv", small_text());
  EXPECT_THROW(read_kernels(folder.path() / "small.csv", definitions), InputError);
}

}  // namespace
}  // namespace apmt::learned
