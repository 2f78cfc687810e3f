#include "devices/learned/learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/input_error.h"
#include "devices/learned/forest.h"
#include "devices/learned/nnge.h"
#include "devices/learned/svm.h"
#include "tests/unit/learned/planted.h"

namespace apmt::learned {
namespace {

using testing::ElementsAre;

Lesson lesson_of(const std::vector<Row>& x, const std::vector<int>& labels) {
  Lesson lesson{.x = x, .labels = labels, .targets = {}, .groups = {}};
  for (const int label : labels) {
    lesson.classes = std::max(lesson.classes, label + 1);
    lesson.targets.push_back({static_cast<double>(label)});
    lesson.groups.push_back("one");
  }
  return lesson;
}

TEST(Learners, FindARuleThatIsThere) {
  const Lesson lesson = planted_lesson(1, 400, 3, 0);
  const Lesson unseen = planted_lesson(2, 400, 3, 0);
  for (const LearnerKind kind : kinds_here()) {
    const auto classifier = learn(lesson, {.kind = kind});
    int right = 0;
    for (std::size_t i = 0; i < unseen.size(); ++i) {
      const Answer answer = classifier->answer(unseen.x[i]);
      right += answer.chosen == unseen.labels[i];
      EXPECT_EQ(answer.chosen == 1, answer.margins[1] > answer.margins[0]);
    }
    EXPECT_GT(right, kind == LearnerKind::kNeighbour ? 340 : 370) << to_string(kind);
  }
}

TEST(Learners, TellSeveralClassesApart) {
  Lesson lesson = planted_lesson(3, 600, 2, 0);
  lesson.classes = 3;
  for (std::size_t i = 0; i < lesson.size(); ++i) {
    lesson.labels[i] = static_cast<int>(3 * lesson.x[i][1]);
    lesson.targets[i] = {static_cast<double>(lesson.labels[i])};
  }
  for (const LearnerKind kind : kinds_here()) {
    const auto classifier = learn(lesson, {.kind = kind});
    for (const int label : {0, 1, 2}) {
      const Answer answer = classifier->answer({0.5, (label + 0.5) / 3});
      EXPECT_EQ(answer.chosen, label) << to_string(kind);
      EXPECT_EQ(largest(answer.margins), label) << to_string(kind);
    }
  }
}

TEST(Learners, AreTheSameAfterAFile) {
  const Lesson lesson = planted_lesson(4, 200, 4, 0.1);
  for (const LearnerKind kind : kinds_here()) {
    const auto classifier = learn(lesson, {.kind = kind, .trees = 20});
    const Json json = classifier->to_json();
    const Json written = parse_json(format_json(json), "model");
    const auto again = read_classifier(JsonAt(written, "model"));
    EXPECT_EQ(format_json(again->to_json()), format_json(json)) << to_string(kind);
    for (std::size_t i = 0; i < 50; ++i) {
      const Answer before = classifier->answer(lesson.x[i]);
      const Answer after = again->answer(lesson.x[i]);
      EXPECT_EQ(after.chosen, before.chosen);
      EXPECT_THAT(after.margins, testing::Pointwise(testing::DoubleNear(1e-6), before.margins));
    }
  }
}

TEST(Learners, SameSeedSameModel) {
  const Lesson lesson = planted_lesson(5, 100, 5, 0.2);
  const auto model = [&](std::uint64_t seed) {
    return format_json(
        learn(lesson, {.kind = LearnerKind::kForest, .seed = seed, .trees = 3})->to_json());
  };
  EXPECT_EQ(model(1), model(1));
  EXPECT_NE(model(1), model(2));
  // The random numbers must be the same on every machine. If they change, all shipped models
  // change.
  EXPECT_EQ(Random(7).next(), 7191089600892374487u);
}

TEST(Learners, RefuseWhatTeachesNothing) {
  for (const LearnerKind kind : {LearnerKind::kNnge, LearnerKind::kForest}) {
    EXPECT_THROW(learn(lesson_of({{1}, {2}}, {1, 1}), {.kind = kind}), InputError);
    EXPECT_THROW(learn(lesson_of({{1}}, {1}), {.kind = kind}), InputError);
  }
  EXPECT_THROW(learner_of("oracle"), InputError);
  const Json broken = {{"learner", "nnge"}, {"classes", 2}};
  EXPECT_THROW(read_classifier(JsonAt(broken, "model")), InputError);
}

TEST(Nnge, GeneralisesAndSplitsAsDescribed) {
  // The first four examples form two boxes. The fifth, of the other class, lies in the first box
  // and splits it along the feature in which it is nearest to the box's edge (feature 0, at 0.9).
  const std::vector<Row> x = {{0, 0}, {1, 1}, {5, 5}, {6, 6}, {0.9, 0.5}};
  const Nnge before(lesson_of({x.begin(), x.end() - 1}, {0, 0, 1, 1}), {});
  ASSERT_EQ(before.exemplars().size(), 2u);
  EXPECT_THAT(before.exemplars()[0].low, ElementsAre(0, 0));
  EXPECT_THAT(before.exemplars()[0].high, ElementsAre(1, 1));
  EXPECT_NEAR(before.feature_weights()[0], 1, 1e-12);

  const Nnge after(lesson_of(x, {0, 0, 1, 1, 1}), {});
  ASSERT_EQ(after.exemplars().size(), 4u);  // two halves, the other box, and the new example
  EXPECT_EQ(after.answer({0.9, 0.5}).chosen, 1);
  EXPECT_EQ(after.answer({0, 0}).chosen, 0);
  EXPECT_EQ(after.answer({1, 1}).chosen, 0);
}

TEST(Nnge, WeighsFeaturesByWhatTheyTell) {
  const Row weights = mutual_information({{0, 0}, {1, 0}, {10, 0}, {11, 0}}, {0, 0, 1, 1}, 2);
  EXPECT_THAT(weights, ElementsAre(1, 0));
}

/// The weights of a feature and of its mirror image are computed from sums in opposite order, which
/// differ in the last bit. The weights must be equal nevertheless.
TEST(Nnge, WeighsAFeatureLikeItsMirrorImage) {
  const Row weights = mutual_information(
      {{0, 0}, {1.5, -1.5}, {2.5, -2.5}, {3.5, -3.5}, {4.5, -4.5}, {5, -5}}, {1, 0, 0, 0, 1, 0}, 2);
  EXPECT_EQ(weights[0], weights[1]);
}

TEST(Forest, WeightsOfExamplesAddUp) {
  const Lesson lesson = planted_lesson(6, 100, 3, 0.1);
  const Forest forest(lesson, {.trees = 10});
  const Row weights = forest.weights(lesson.x[0]);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
}

TEST(Forest, TimesThatAreNotKnownAreLeftOut) {
  Lesson lesson = planted_lesson(7, 200, 1, 0);
  for (std::size_t i = 0; i < lesson.size(); ++i)
    lesson.targets[i].push_back(i % 2 ? std::nan("") : lesson.targets[i][0]);
  const Forest forest(lesson, {.trees = 10});
  EXPECT_EQ(forest.answer({0.9}).chosen, 1);
  EXPECT_EQ(forest.answer({0.1}).chosen, 0);
}

}  // namespace
}  // namespace apmt::learned
