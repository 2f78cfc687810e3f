// Tests with campaigns in which the problem grows with the processes. They check which times stay
// constant if the work of each process is constant, which times may rise, and how far the time at a
// new problem size may deviate from the curve.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/input_error.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/prediction.h"
#include "fitter/times/time_law_eval.h"
#include "tests/unit/fitter/exact_mixture.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

const NormalPrior kQuiet{std::log(0.001), 0.01};

/// The distribution of ln(time) of a kernel that takes one second at 4, 8, 16 and 32 processes,
/// with the same work on each process.
LogMixture at_constant_work(double procs) {
  std::vector<RecipePoint> points;
  for (const double p : {4, 8, 16, 32})
    points.push_back({.l_procs = std::log(p / 32), .max_procs = 32});
  const RecipePosterior posterior(points, recipe_priors("leaf", true), kQuiet);
  return exact_mixture(posterior, {.l_procs = std::log(procs / 32), .max_procs = 32, .counts = {}});
}

TEST(ProblemSizes, GrowOnAsTheCampaignRoundedThem) {
  // apmt run --scaling weak --set n=100 --work 'n*n' chooses 100, 141 and 200: 100 sqrt(P) in whole
  // numbers.
  std::vector<synthetic::PlantedRun> runs;
  for (const auto& [procs, n] : {std::pair{1, 100.0}, {2, 141.0}, {4, 200.0}})
    runs.push_back(synthetic::halo_run(procs, 1, n));
  const Model model = synthetic::fit_runs(runs);
  ASSERT_EQ(model.scaling, Scaling::kWeak);
  const Prediction far = predict(model, {.procs = 1024, .params = {}, .scaling = {}});
  EXPECT_DOUBLE_EQ(far.params.at("n"), 3200);
  // The work per process differs only because n was rounded, so no power of it may become a law.
  for (const auto& [name, time_s] : far.baselines_s) EXPECT_TRUE(std::isfinite(time_s)) << name;
  for (const Baseline& b : model.baselines)
    for (const double c : b.coefficients) EXPECT_LT(std::abs(c), 1e6) << b.name;
}

/// A run of a program whose rank 0 writes n^2 numbers at the end.
synthetic::PlantedRun writing_run(int procs, double n, int repetition) {
  synthetic::PlantedRun run;
  run.procs = procs;
  run.repetition = repetition;
  run.params = {{"n", n}};
  run.kernel_s = {{"sweep", 1e-6 * n * n / procs * (1 + 0.01 * (repetition - 2))}};
  run.others_s = 1e-8 * n * n;
  return run;
}

TEST(ProblemSizes, WhatIsWrittenAtTheEndGrowsAsTheRunsShow) {
  std::vector<synthetic::PlantedRun> runs;
  for (const int p : {4, 8, 16})
    for (const double n : {500.0, 1000.0})
      for (int r = 1; r <= 3; ++r) runs.push_back(writing_run(p, n, r));
  const Prediction p =
      predict(synthetic::fit_runs(runs), {.procs = 64, .params = {{"n", 2000}}, .scaling = {}});
  const double truth_s = writing_run(64, 2000, 2).others_s / 2;  // the other half is the start
  EXPECT_NEAR(p.parts.end->time_s / truth_s, 1, 0.1);
}

/// In weak scaling, each process count has one size. How times depend on the size alone is unknown.
TEST(ProblemSizes, BesideAWeakSeriesIntervalsAreWide) {
  std::vector<synthetic::PlantedRun> runs;
  for (const int p : {4, 16, 64})
    for (int r = 1; r <= 3; ++r) runs.push_back(writing_run(p, 250 * std::sqrt(p), r));
  const Model model = synthetic::fit_runs(runs);
  const auto spread = [&](const Prediction& p) { return p.parts.end->high_s / p.parts.end->low_s; };
  const Prediction along = predict(model, {.procs = 256, .params = {}, .scaling = {}});
  const Prediction beside = predict(model, {.procs = 256, .params = {{"n", 1000}}, .scaling = {}});
  EXPECT_GT(spread(beside), 2 * spread(along));
  EXPECT_LT(beside.parts.end->low_s, writing_run(256, 1000, 2).others_s);
  EXPECT_THAT(beside.warnings,
              testing::Contains(testing::HasSubstr("do not show how times depend")));
  EXPECT_THAT(along.warnings,
              testing::Not(testing::Contains(testing::HasSubstr("do not show how"))));
  EXPECT_EQ(beside.scaling, Scaling::kStrong);
  EXPECT_THROW(predict(model, {.procs = 256, .params = {{"n", 1000}}, .scaling = Scaling::kWeak}),
               InputError);
}

TEST(ProblemSizes, NothingFallsWithMoreProcessesAtTheSameWorkOfEach) {
  // The work of each process, and its surface, stay constant, so its time must not fall.
  EXPECT_GT(at_constant_work(512).ln_quantile(0.001), -4 * std::exp(kQuiet.mean));
}

TEST(ProblemSizes, KernelsThatRiseWithTheProcessesAreAsLikelyAsThoseThatDoNot) {
  double rise = 0, stay = 0;
  for (const PlainLaw& law : recipe_priors("leaf", true).plain) {
    const bool with_procs = law.second == PlainLaw::Second::kLog ||
                            (law.second == PlainLaw::Second::kPower && law.second_exponent > 0);
    (with_procs ? rise : stay) += law.weight;
  }
  EXPECT_NEAR(rise, 0.5, 1e-12);
  EXPECT_NEAR(stay, 0.5, 1e-12);
}

TEST(ProblemSizes, ASurfaceGoesWithTheWorkOfAProcessNotWithTheirNumber) {
  // The law is 1/P plus a surface term, fitted at one problem size. It is evaluated where P and the
  // problem grow together.
  RecipePriors surface = recipe_priors("leaf", false);
  surface.plain = {{1, -1, PlainLaw::Second::kPower, -0.5}};
  surface.plain_weight = 1;
  std::vector<RecipePoint> points;
  for (const double p : {2, 4, 8}) {
    const double l = std::log(p / 8);
    points.push_back(
        {.l = l, .l_procs = l, .max_procs = 8, .y = std::log(8 / p + std::sqrt(8 / p))});
  }
  const LogMixture same_share =
      exact_mixture(RecipePosterior(points, surface, kQuiet),
                    {.l = 0, .l_procs = std::log(16.0), .max_procs = 8, .counts = {}});
  EXPECT_NEAR(same_share.ln_quantile(0.5), std::log(2.0), 0.005);
}

TimeLaw weak_law(const std::vector<double>& works) {
  TimeLaw law;
  law.kind = TimeLaw::Kind::kRecipe;
  law.size_rule = TimeLaw::SizeRule::kLinear;
  law.prior = "communication";
  for (std::size_t i = 0; i < works.size(); ++i)
    law.points.push_back({std::ldexp(4.0, static_cast<int>(i)), works[i], 1, 0.002, 0, 5});
  return law;
}

double ln_width(const TimeLaw& law, double procs, double work) {
  Draws draws = TimeLawEvaluator(law).draws(procs, work, {}, draw_places(1, 0));
  return std::log(quantile(&draws, 0.9) / quantile(&draws, 0.1));
}

TEST(ProblemSizes, ManyQuietSizesShowThatANewOneIsQuietToo) {
  // With fewer than three sizes, the error at a new size is assumed to have a standard deviation of
  // five percent.
  const double of_one = ln_width(weak_law({8, 8, 8, 8}), 64, 16);
  EXPECT_GT(of_one, 2 * 1.28 * common_priors().new_size_sd);
  EXPECT_LT(ln_width(weak_law({4, 8, 16, 32}), 64, 64), 0.7 * of_one);
}

TEST(ProblemSizes, FromThreeSizesOnTheNoiseHoldsWhatSizesDo) {
  const RecipePriors priors = recipe_priors("leaf", true);
  const NormalPrior two = noise_prior(weak_law({4, 4, 8, 8}).points, priors);
  const NormalPrior three = noise_prior(weak_law({4, 8, 8, 16}).points, priors);
  EXPECT_GT(three.mean, two.mean);
  EXPECT_GT(three.sd, two.sd);
  // If the repetitions are noisy, the differences between sizes add hardly any noise.
  std::vector<FitPoint> loud = weak_law({4, 8, 8, 16}).points;
  for (FitPoint& p : loud) p.rel_sigma = 0.5;
  std::vector<FitPoint> loud_of_one = loud;
  for (FitPoint& p : loud_of_one) p.work = 1;
  EXPECT_NEAR(noise_prior(loud, priors).mean, noise_prior(loud_of_one, priors).mean, 0.05);
}

}  // namespace
}  // namespace apmt
