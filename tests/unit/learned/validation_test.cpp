#include "devices/learned/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "base/input_error.h"
#include "devices/learned/baselines.h"
#include "devices/learned/outside.h"
#include "devices/learned/svm.h"
#include "tests/paths.h"
#include "tests/unit/learned/planted.h"

namespace apmt::learned {
namespace {

DataSet shipped() { return read_data_set(source_dir() + "/configs/learned/aiwc.csv"); }

ScoreLine line_of(const DataSet& data, const Question& question, Split split,
                  const std::string& method, const std::vector<LearnerKind>& learners) {
  const std::vector<ScoreLine> lines =
      validate(data, {question}, {.learners = learners, .splits = {split}, .trees = 30});
  for (const ScoreLine& line : lines)
    if (line.method == method) return line;
  throw std::logic_error("no line of " + method);
}

TEST(Splits, LeaveOutWhatTheySay) {
  const std::vector<std::string> groups = {"a", "b", "a", "c", "b", "d", "e"};
  EXPECT_EQ(folds_of(Split::kOneRun, groups, 1).size(), groups.size());
  const std::vector<Fold> single = folds_of(Split::kOneApplication, groups, 1);
  EXPECT_EQ(single, (std::vector<Fold>{{0, 2}, {1, 4}, {3}, {5}, {6}}));
  const std::vector<Fold> pairs = folds_of(Split::kTwoApplications, groups, 1);
  EXPECT_EQ(pairs.size(), 30u);  // ten pairings, each with two pairs and one single group
  std::vector<int> times(groups.size());
  for (const Fold& fold : pairs)
    for (const std::size_t i : fold) ++times[i];
  EXPECT_THAT(times, testing::Each(10));
  EXPECT_EQ(pairs, folds_of(Split::kTwoApplications, groups, 1));
  EXPECT_NE(pairs, folds_of(Split::kTwoApplications, groups, 2));
  EXPECT_EQ(others({1, 3}, 5), (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_THROW(folds_of(Split::kOneApplication, {"a", "a"}, 1), InputError);
  EXPECT_THROW(folds_of(Split::kTwoApplications, {"a", "b"}, 1), InputError);
  EXPECT_EQ(in_words(Split::kTwoApplications), "leave two applications out");
}

TEST(Calibration, FindsTheSigmoidThatMadeTheClasses) {
  Random random(1);
  Row margins;
  std::vector<bool> is_class;
  for (int i = 0; i < 20000; ++i) {
    margins.push_back(4 * random.uniform() - 2);
    is_class.push_back(random.uniform() < 1 / (1 + std::exp(-(1.5 * margins.back() - 0.5))));
  }
  const Sigmoid found = fit_sigmoid(margins, is_class);
  EXPECT_NEAR(found.slope, 1.5, 0.1);
  EXPECT_NEAR(found.offset, -0.5, 0.1);
  // If margins point to the wrong class, or are unrelated to the class, probabilities equal the
  // base rate.
  for (double& margin : margins) margin = -margin;
  EXPECT_EQ(fit_sigmoid(margins, is_class).slope, 0);
  const double share =
      static_cast<double>(std::count(is_class.begin(), is_class.end(), true)) / 20000;
  EXPECT_NEAR(fit_sigmoid(Row(20000, 1.0), is_class).at(1), share, 0.01);
}

TEST(Calibration, WilsonsInterval) {
  const Interval interval = binomial_interval(0.8, 50);  // calculated by hand: 0.670 to 0.888
  EXPECT_NEAR(interval.low, 0.6696, 1e-3);
  EXPECT_NEAR(interval.high, 0.8876, 1e-3);
  EXPECT_NEAR(binomial_interval(1, 10).high, 1, 1e-12);
}

TEST(Baselines, CostOfAlwaysTheSameDevice) {
  // This is known of the shipped data: always using the gtx1080 takes 1.81 times as long as using
  // the best device (geometric mean, with equal weight for all applications).
  const DataSet data = shipped();
  Question best{.kind = Question::Kind::kBest, .devices = {}};
  for (const KnownDevice& device : data.head.devices) best.devices.push_back(device.name);
  const AskedLesson asked = lesson_of(data, best);
  Row logs;
  std::vector<std::string> groups;
  for (const KernelRun& run : data.runs) {
    double least = *run.times_s[0];
    for (const auto& time : run.times_s) least = std::min(least, *time);
    logs.push_back(std::log(*run.times_s[data.device_index("gtx1080")] / least));
    groups.push_back(run.application);
  }
  EXPECT_NEAR(std::exp(mean_of_groups(logs, groups)), 1.81, 0.005);
  EXPECT_NEAR(std::exp(std::accumulate(logs.begin(), logs.end(), 0.0) / 76), 1.51, 0.005);
  const std::vector<std::size_t> all = others({}, asked.lesson.size());
  const auto said = [&](Baseline baseline) {
    return best
        .devices[static_cast<std::size_t>(*baseline_class(data, asked, all, best, baseline))];
  };
  EXPECT_EQ(said(Baseline::kMajority), "i7-6700k");
  EXPECT_EQ(said(Baseline::kBestOnAverage), "gtx1080");
  EXPECT_EQ(said(Baseline::kBandwidth), "fiji-furyx");
}

TEST(Validation, ARuleThatIsThereIsFoundForSuitesLeftOut) {
  const DataSet data = planted_data(1, 4);
  for (const LearnerKind kind : kinds_here()) {
    const ScoreLine line =
        line_of(data, {.device = "gpu"}, Split::kOneSuite, to_string(kind), {kind});
    EXPECT_EQ(line.groups, 4);
    EXPECT_EQ(line.leaks, 0);
    // With this noise even the true rule is right only 80 % of the time.
    EXPECT_GT(line.interval.low, *line.majority) << line.method;
    EXPECT_LT(*line.accuracy, 0.9) << line.method;
    EXPECT_TRUE(line.is_worth_saying()) << line.method;
    double miss = 0;
    for (const CalibrationBin& bin : line.calibration)
      miss += bin.count * std::abs(bin.predicted - bin.observed) / line.runs;
    EXPECT_LT(miss, 0.08) << line.method;
  }
}

TEST(Validation, WhereThereIsNoRuleNothingIsClaimed) {
  DataSet data = planted_data(2, 3);
  Random random(3);
  for (KernelRun& run : data.runs) run.times_s[1] = random.uniform() < 0.5 ? 0.5 : 2;
  for (const LearnerKind kind : kinds_here()) {
    const ScoreLine line =
        line_of(data, {.device = "gpu"}, Split::kOneApplication, to_string(kind), {kind});
    EXPECT_LT(line.interval.low, 0.5) << line.method;
    EXPECT_GT(*line.brier, *line.base_brier - 0.01) << line.method;
  }
}

TEST(Validation, ALeakySplitIsCaught) {
  // The classes are random, but every run appears twice. Only a split that leaves out whole
  // applications shows that nothing can be learned.
  DataSet data = planted_data(4, 2);
  Random random(5);
  for (KernelRun& run : data.runs) run.times_s[1] = random.uniform() < 0.5 ? 0.5 : 2;
  const std::size_t count = data.runs.size();
  for (std::size_t i = 0; i < count; ++i) {
    data.runs.push_back(data.runs[i]);
    data.runs.back().input = "again";
  }
  const auto by_run =
      line_of(data, {.device = "gpu"}, Split::kOneRun, "neighbour", {LearnerKind::kNeighbour});
  EXPECT_EQ(by_run.leaks, static_cast<int>(2 * count));
  EXPECT_GT(*by_run.accuracy, 0.9);
  const auto by_application = line_of(data, {.device = "gpu"}, Split::kOneApplication, "neighbour",
                                      {LearnerKind::kNeighbour});
  EXPECT_EQ(by_application.leaks, 0);
  EXPECT_LT(*by_application.accuracy, 0.65);
}

TEST(Validation, ShippedDataLeakOneRunAtATime) {
  const ScoreLine line = line_of(shipped(), {.device = "gtx1080"}, Split::kOneRun, "majority", {});
  EXPECT_EQ(line.leaks, 22);
  EXPECT_EQ(line_of(shipped(), {.device = "gtx1080"}, Split::kOneApplication, "majority", {}).leaks,
            0);
}

TEST(Validation, TimesAndTheBestOfThree) {
  DataSet data = planted_data(6, 2);
  data.head.devices.push_back({"slow", "gpu", {}});
  for (KernelRun& run : data.runs) run.times_s.emplace_back(10);
  const Question best{.kind = Question::Kind::kBest, .devices = {"cpu", "gpu", "slow"}};
  const ScoreLine forest =
      line_of(data, best, Split::kOneApplication, "forest", {LearnerKind::kForest});
  EXPECT_GT(forest.interval.low, *forest.majority);
  EXPECT_LT(*forest.slow_down, 1.25);
  EXPECT_FALSE(line_of(data, best, Split::kOneApplication, "bandwidth", {}).unknown.empty());
  const Question time{.kind = Question::Kind::kTime, .device = "gpu"};
  const auto error = [&](const std::string& method) {
    return *line_of(data, time, Split::kOneApplication, method, {LearnerKind::kForest})
                .median_error;
  };
  // Noise alone causes an error of 0.65 times that of `majority`.
  EXPECT_LT(error("forest"), 0.85 * error("majority"));
  EXPECT_EQ(line_of(data, {.kind = Question::Kind::kTime, .device = "slow"}, Split::kOneApplication,
                    "majority", {})
                .median_error,
            0);
}

TEST(Validation, OneClassIsSaid) {
  const ScoreLine line = line_of(shipped(), {.device = "i5-3350"}, Split::kOneApplication, "forest",
                                 {LearnerKind::kForest});
  EXPECT_EQ(line.unknown, "all runs are of one class");
  EXPECT_FALSE(line.accuracy);
}

TEST(Outside, ASuiteOfAnotherKindIsTold) {
  // At least 90 % of the kernels of a different suite must be recognised as different. In a similar
  // suite, the rate of false alarms must be about 10 %.
  int detected = 0;
  int false_alarms = 0;
  int all = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const DataSet data = planted_data(seed, 4, 3);
    std::vector<Row> x;
    std::vector<std::string> groups;
    std::vector<Row> like;
    std::vector<Row> unlike;
    for (const KernelRun& run : data.runs) {
      const Row row = *learned_values(data.head.definitions, run.features);
      if (run.suite == "suite 3") {
        unlike.push_back(row);
      } else if (run.suite == "suite 2") {
        like.push_back(row);
      } else {
        x.push_back(row);
        groups.push_back(run.application);
      }
    }
    const Outside outside(x, groups);
    for (const Row& row : unlike) detected += outside.is_outside(row);
    for (const Row& row : like) false_alarms += outside.is_outside(row);
    all += static_cast<int>(like.size());
  }
  EXPECT_GE(detected, 0.9 * all);
  EXPECT_LE(false_alarms, 0.1 * all + 2 * std::sqrt(0.09 * all));
  EXPECT_GE(false_alarms, 0.1 * all - 2 * std::sqrt(0.09 * all));
}

/// Kernels of one application are similar, so distances between them do not show how far away a new
/// application may be.
TEST(Outside, ExamplesOfOneGroupAreNotHeldAgainstEachOther) {
  const std::vector<Row> x = {{0}, {0.1}, {5}, {5.1}, {10}, {10.1}};
  EXPECT_FALSE(Outside(x, {"a", "a", "b", "b", "c", "c"}).is_outside({7}));
  EXPECT_TRUE(Outside(x, {"a", "b", "c", "d", "e", "f"}).is_outside({7}));
}

TEST(Outside, AFeatureThatNeverDiffered) {
  const Outside outside({{1, 0}, {2, 0}, {3, 0}, {4, 0}}, {"a", "b", "c", "d"});
  EXPECT_FALSE(outside.is_outside({2.5, 0}));
  EXPECT_TRUE(outside.is_outside({2.5, 1}));
}

}  // namespace
}  // namespace apmt::learned
