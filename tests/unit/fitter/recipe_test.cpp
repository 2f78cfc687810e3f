// Tests of the recipe, which extrapolates times by quadrature over families of curves. Its results
// are compared with those of an independent program of thirty lines, which follows the description
// of the recipe (fitter/times/recipe.h) literally: without pruning or merging, and with bisection.
// Other tests check limits that predictions must keep.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/fitter/exact_mixture.h"

namespace apmt {
namespace {

/// The scatter of the times is about 5 %.
const NormalPrior kSomeNoise{std::log(0.05), 1};

LogMixture extrapolated(const std::vector<double>& procs, const std::vector<double>& times,
                        double target, const NormalPrior& noise = kSomeNoise,
                        const RecipePriors& priors = recipe_priors("total", false)) {
  const double largest = procs.back();
  std::vector<RecipePoint> points;
  for (std::size_t i = 0; i < procs.size(); ++i) {
    RecipePoint p;
    p.l = p.l_procs = std::log(procs[i] / largest);
    p.y = std::log(times[i]);
    points.push_back(p);
  }
  RecipeTarget at;
  at.l = at.l_procs = std::log(target / largest);
  at.distance = std::max(at.l, 0.0);
  return exact_mixture(RecipePosterior(points, priors, noise), at);
}

void expect_quantiles(const LogMixture& m, double q10, double q50, double q90) {
  EXPECT_NEAR(std::exp(m.ln_quantile(0.1)) / q10, 1, 1e-4);
  EXPECT_NEAR(std::exp(m.ln_quantile(0.5)) / q50, 1, 1e-4);
  EXPECT_NEAR(std::exp(m.ln_quantile(0.9)) / q90, 1, 1e-4);
}

/// The priors with which the independent program was run.
RecipePriors priors_of_the_program() {
  RecipePriors priors = recipe_priors("total", false);
  priors.wander = {.among = 0.1, .ahead = 0.1};
  return priors;
}

LogMixture as_by_the_program(const std::vector<double>& procs, const std::vector<double>& times,
                             double target) {
  return extrapolated(procs, times, target, kSomeNoise, priors_of_the_program());
}

TEST(Recipe, ThreePointsAgainstTheIndependentProgram) {
  expect_quantiles(as_by_the_program({2, 4, 8}, {10, 5.5, 3.2}, 64), 0.4565511355, 0.8763249310,
                   1.8022729258);
  expect_quantiles(as_by_the_program({2, 4, 8}, {10, 5.5, 3.2}, 128), 0.2423968211, 0.6492373170,
                   1.9064239758);
}

TEST(Recipe, TwoPointsAgainstTheIndependentProgram) {
  expect_quantiles(as_by_the_program({16, 64}, {3.0, 1.1}, 256), 0.3019927034, 0.4740602434,
                   0.7971533793);
}

TEST(Recipe, SuperlinearPointsAgainstTheIndependentProgram) {
  expect_quantiles(as_by_the_program({2, 4, 8}, {10, 4.6, 2.0}, 64), 0.1829163972, 0.2695689468,
                   0.4477617229);
}

TEST(Recipe, AmongThePointsAgainstTheIndependentProgram) {
  expect_quantiles(as_by_the_program({1, 2, 4, 8, 16}, {10, 5.2, 2.9, 1.4, 0.8}, 3), 3.3388486388,
                   3.6306525877, 3.9256350104);
}

TEST(Recipe, TotalTimesWanderByMoreThanInThatProgram) {
  const auto width = [](const LogMixture& m) { return m.ln_quantile(0.9) - m.ln_quantile(0.1); };
  const double ratio = width(extrapolated({2, 4, 8}, {10, 5.5, 3.2}, 64)) /
                       width(as_by_the_program({2, 4, 8}, {10, 5.5, 3.2}, 64));
  EXPECT_GT(ratio, 1.05);
  EXPECT_LT(ratio, 1.5);
}

TEST(Recipe, AheadNothingFallsFasterThanTheWorkOfAProcess) {
  // From each point to the next, the time falls faster than 1/P, because the data begin to fit into
  // the caches. Beyond the points this cannot continue.
  const double eightfold = std::exp(extrapolated({2, 4, 8}, {10, 4, 1.6}, 64).ln_quantile(0.5));
  EXPECT_GE(eightfold, 1.6 / 8 * 0.95);
}

TEST(Recipe, OneAccidentBendsTheCurveLess) {
  // The last of four runs took one and a half times as long as the others suggest. If it were not
  // treated as a possible outlier, scaling would end there.
  const std::vector<double> procs = {2, 4, 8, 16}, times = {8, 4, 2, 1.5};
  RecipePriors at_its_word = recipe_priors("total", false);
  at_its_word.accident = 0;
  const LogMixture taken = extrapolated(procs, times, 128, kSomeNoise, at_its_word);
  const LogMixture doubted = extrapolated(procs, times, 128);
  EXPECT_LT(doubted.ln_quantile(0.5), taken.ln_quantile(0.5) - 0.1);
  EXPECT_LT(doubted.ln_quantile(0.1), taken.ln_quantile(0.1) - 0.1);
}

TEST(Recipe, ManyClosePointsLeaveTheFutureOpen) {
  const auto width = [](const LogMixture& m) { return m.ln_quantile(0.9) - m.ln_quantile(0.1); };
  std::vector<double> procs, times;
  for (double p = 2; p <= 8.01; p *= std::pow(2, 0.25)) {
    procs.push_back(p);
    times.push_back(10 / p + 1);
  }
  const std::vector<double> three = {2, 4, 8}, three_times = {6, 3.5, 2.25};
  RecipePriors one_curve = recipe_priors("total", false);
  one_curve.wander = {};
  const auto narrowed = [&](const RecipePriors& priors) {
    return width(extrapolated(procs, times, 128, kSomeNoise, priors)) /
           width(extrapolated(three, three_times, 128, kSomeNoise, priors));
  };
  EXPECT_GT(narrowed(recipe_priors("total", false)), 1.3 * narrowed(one_curve));
}

TEST(Recipe, SlopesWanderBeyondThePointsByAnAmountOfTheirOwn) {
  const auto width = [](const Wander& wander, double target) {
    RecipePriors priors = recipe_priors("total", false);
    priors.wander = wander;
    const LogMixture m =
        extrapolated({2, 4, 8, 16}, {10, 5.5, 3.2, 1.9}, target, kSomeNoise, priors);
    return m.ln_quantile(0.9) - m.ln_quantile(0.1);
  };
  EXPECT_GT(width({0.1, 0.4}, 128), 1.5 * width({0.1, 0.1}, 128));
  EXPECT_GT(width({0.1, 0.4}, 128), 1.2 * width({0.4, 0.1}, 128));
  EXPECT_NEAR(width({0.1, 0.4}, 6), width({0.1, 0.1}, 6), 1e-9);
}

/// A kernel's time that follows a plain law goes on as this law does. If no plain law describes it,
/// its slope may also change beyond the points.
TEST(Recipe, SlopesOfPlainLawsDoNotWander) {
  const auto widened = [](const std::vector<double>& times) {
    const auto width = [&](const Wander& wander) {
      RecipePriors priors = recipe_priors("leaf", false);
      priors.wander = wander;
      const LogMixture m = extrapolated({2, 4, 8, 16}, times, 128, {std::log(0.01), 0.1}, priors);
      return m.ln_quantile(0.9) - m.ln_quantile(0.1);
    };
    return width({0.2, 0.25}) / width({});
  };
  EXPECT_LT(widened({10, 5, 2.5, 1.25}), 1.2);
  EXPECT_GT(widened({10, 4, 2.5, 1.2}), 2);
}

TEST(Recipe, PowerFamilyAloneIsConjugate) {
  // With a single value of the noise, and with curves of family P only (recipe.h), slope and level
  // are jointly normal. Their distribution has a closed form, up to the truncation of the grid at
  // 2.6 standard deviations.
  RecipePriors priors = recipe_priors("leaf", false);
  priors.slope = {-0.9, 0.15};
  priors.plain.clear();
  priors.wander = {};
  priors.two_terms = 0;
  const NormalPrior noise{std::log(0.05), 0};
  const double sigma2 = std::exp(2 * noise.mean);
  const std::vector<double> l = {std::log(0.25), std::log(0.5), 0};
  const std::vector<double> y = {1.2, 0.5, -0.1};
  std::vector<RecipePoint> points(3);
  for (std::size_t i = 0; i < 3; ++i) {
    points[i].l = points[i].l_procs = l[i];
    points[i].y = y[i];
  }
  const double ml = (l[0] + l[1] + l[2]) / 3, my = (y[0] + y[1] + y[2]) / 3;
  double sll = 0, sly = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    sll += (l[i] - ml) * (l[i] - ml);
    sly += (l[i] - ml) * (y[i] - my);
  }
  const double precision = 1 / (0.15 * 0.15) + sll / sigma2;
  const double slope = (-0.9 / (0.15 * 0.15) + sly / sigma2) / precision;
  RecipeTarget target;
  target.l = target.l_procs = -std::log(32.0);  // below the points; beyond them slopes are limited
  const LogMixture m = exact_mixture(RecipePosterior(points, priors, noise), target);
  EXPECT_NEAR(m.mean(), my + slope * (target.l - ml), 1e-3);
}

TEST(Recipe, QuietKernelsWithAConstantPartAreFoundWhateverTheShare) {
  // The true law is 1/P plus a constant, with half a percent of noise. The constant is most of the
  // prediction. So whatever its share at the last point is, the grid must have a node close enough
  // to this share. Only plain laws are used, because the test is about their grid.
  const std::vector<double> procs = {2, 4, 8, 16, 32};
  RecipePriors priors = recipe_priors("leaf", false);
  priors.plain_weight = 1;
  NormalPrior noise;
  noise.mean = std::log(0.005);
  noise.sd = 0.2;
  RecipeTarget target;
  target.l = target.l_procs = target.distance = std::log(16.0);
  target.max_procs = 32;
  for (double share = 0.15; share < 0.4; share += 0.01) {
    std::vector<RecipePoint> points;
    const auto time = [&](double p) { return (1 - share) * 32 / p + share; };
    for (const double p : procs) {
      RecipePoint point;
      point.l = point.l_procs = std::log(p / 32);
      point.max_procs = 32;
      point.y = std::log(time(p));
      points.push_back(point);
    }
    const LogMixture m = exact_mixture(RecipePosterior(points, priors, noise), target);
    EXPECT_NEAR(std::exp(m.ln_quantile(0.5)) / time(512), 1, 0.015) << share;
  }
}

TEST(Recipe, LawsOfOneKindAreEquallyLikelyBeforehand) {
  double sum = 0;
  double volume = 0, surface = 0, with_constant = 0;
  for (const PlainLaw& law : recipe_priors("leaf", false).plain) {
    sum += law.weight;
    const bool alone = law.second == PlainLaw::Second::kNone;
    if (alone && law.exponent == -1) volume = law.weight;
    if (alone && law.exponent == -2.0 / 3) surface = law.weight;
    if (law.second == PlainLaw::Second::kConstant) with_constant = law.weight;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(volume, 0);
  EXPECT_EQ(volume, surface);
  EXPECT_EQ(volume, with_constant);
}

/// The program works on all pairs and computes each pair once. On few processes, its time falls
/// more slowly than 1/P. Of the other laws, only 1/P plus a constant fits the points, but that law
/// would not keep falling.
TEST(Recipe, WorkOnPairsGoesOnAsOneOverP) {
  const auto time = [](double p) { return (1 - 1 / (2 * p)) / p; };
  std::vector<RecipePoint> points;
  for (const double p : {2, 4, 8}) {
    const double l = std::log(p / 8);
    points.push_back({.l = l, .l_procs = l, .max_procs = 8, .y = std::log(time(p))});
  }
  const double far = std::log(16);
  const LogMixture m =
      exact_mixture(RecipePosterior(points, recipe_priors("leaf", false), {std::log(0.01), 0.1}),
                    {.l = far, .l_procs = far, .max_procs = 8, .distance = far, .counts = {}});
  EXPECT_NEAR(std::exp(m.ln_quantile(0.5)) / time(128), 1, 0.03);
}

/// A rank works on all pairs of its own items, so its time falls as 1/P^2. Without such a law, no
/// curve would be steeper than 1/P beyond the points.
TEST(Recipe, WorkOnPairsOfOwnItemsFallsAsItsSquare) {
  const auto ahead = [](double exponent) {
    std::vector<RecipePoint> points;
    for (const double p : {4, 8, 16}) {
      const double l = std::log(p / 16);
      points.push_back({.l = l, .l_procs = l, .max_procs = 16, .y = exponent * l});
    }
    const double far = std::log(8);
    const LogMixture m =
        exact_mixture(RecipePosterior(points, recipe_priors("leaf", false), {std::log(0.02), 0.1}),
                      {.l = far, .l_procs = far, .max_procs = 16, .distance = far, .counts = {}});
    return m.ln_quantile(0.5) / far;  // the mean slope
  };
  EXPECT_NEAR(ahead(-2), -2, 0.05);
  EXPECT_NEAR(ahead(-1.1), -1, 0.05);
}

/// One process works alone at the end while all others wait. The mean over the processes grows with
/// P, but it has a limit.
TEST(Recipe, WhatOneProcessDoesAloneDoesNotGrowForEver) {
  const auto time = [](double p) { return 1 - 1 / p; };
  std::vector<RecipePoint> points;
  for (const double p : {2, 4, 8}) {
    const double l = std::log(p / 8);
    points.push_back({.l = l, .l_procs = l, .max_procs = 8, .y = std::log(time(p))});
  }
  const double far = std::log(16);
  const LogMixture m =
      exact_mixture(RecipePosterior(points, recipe_priors("end", false), {std::log(0.01), 0.1}),
                    {.l = far, .l_procs = far, .max_procs = 8, .distance = far, .counts = {}});
  EXPECT_NEAR(std::exp(m.ln_quantile(0.5)) / time(128), 1, 0.03);
}

TEST(Recipe, WidensWithTheDistance) {
  double before = 0;
  for (const double target : {16, 32, 64, 128, 256, 512}) {
    const LogMixture m = extrapolated({2, 4, 8}, {8, 4.2, 2.3}, target);
    const double width = m.ln_quantile(0.9) - m.ln_quantile(0.1);
    EXPECT_GT(width, before);
    before = width;
  }
}

TEST(Recipe, LessNoiseNarrows) {
  NormalPrior quiet;
  quiet.mean = std::log(0.01);
  quiet.sd = 0.3;
  const auto width = [](const LogMixture& m) { return m.ln_quantile(0.9) - m.ln_quantile(0.1); };
  EXPECT_LT(width(extrapolated({2, 4, 8}, {8, 4.05, 2.1}, 32, quiet)),
            width(extrapolated({2, 4, 8}, {8, 4.05, 2.1}, 32)));
}

TEST(Recipe, CountsThatExplainTheTimeCarryIt) {
  // The time is 3 n1 + 5 n2, where n1 and n2 are the counts. No curve of the other families has
  // this form.
  const std::vector<double> procs = {2, 4, 8, 16};
  const auto n1 = [](double p) { return (p - 1) / p; };
  const auto n2 = [](double p) { return std::log2(p); };
  const auto t = [&](double p) { return 3 * n1(p) + 5 * n2(p); };
  std::vector<RecipePoint> points;
  RecipeCounts counts;
  counts.at_points.resize(2);
  for (const double p : procs) {
    RecipePoint point;
    point.l = point.l_procs = std::log(p / 16);
    point.y = std::log(t(p));
    points.push_back(point);
    counts.at_points[0].push_back(n1(p) / n1(16));
    counts.at_points[1].push_back(n2(p) / n2(16));
  }
  RecipeTarget target;
  target.l = target.l_procs = target.distance = std::log(64.0);
  target.counts = {{n1(1024) / n1(16), n2(1024) / n2(16)}};
  NormalPrior noise;
  noise.mean = std::log(0.01);
  noise.sd = 0.2;
  const RecipePosterior posterior(points, recipe_priors("communication", false), noise, {counts});
  EXPECT_GT(posterior.count_posterior(0), 0.5);
  EXPECT_NEAR(std::exp(exact_mixture(posterior, target).ln_quantile(0.5)) / t(1024), 1, 0.12);
  // At the reference (P = 16), the second count contributes 20 to a time of 22.8.
  EXPECT_NEAR(posterior.count_share(0), 5 * n2(16) / t(16), 0.08);
}

TEST(Recipe, WhereCountsExplainATimePlainLawsAndCurvesAreNotToldApart) {
  std::vector<RecipePoint> points;
  RecipeCounts counts;
  counts.at_points.resize(1);
  for (const double relative : {1.0, 3.0, 0.5, 2.0, 1.0}) {  // follows no law of P and no curve
    RecipePoint point;
    point.l = point.l_procs = std::log(2.0) * (static_cast<double>(points.size()) - 4);
    point.y = std::log(relative);
    points.push_back(point);
    counts.at_points[0].push_back(relative);
  }
  const NormalPrior noise{.mean = std::log(0.01), .sd = 0.1};
  const RecipePriors priors = recipe_priors("leaf", false);
  EXPECT_EQ(RecipePosterior(points, priors, noise, {counts}).plain_posterior(),
            priors.plain_weight);
  EXPECT_NE(RecipePosterior(points, priors, noise).plain_posterior(), priors.plain_weight);
}

}  // namespace
}  // namespace apmt
