// Tests of the draws from a model's distribution: each stratum is drawn once, laws have the given
// correlation, and in each draw the kernels add up to the parts and the parts to the total time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/mean.h"
#include "fitter/mechanisms.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/prediction.h"
#include "fitter/times/recipe_nodes.h"
#include "tests/unit/fitter/exact_mixture.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::fit_runs;
using synthetic::halo_run;
using synthetic::PlantedRun;

double correlation(const Strata& a, const Strata& b) {
  const Draws& z = stratum_normals();
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < kDraws; ++k) {
    sum += z[a[k]] * z[b[k]];
    squares += z[k] * z[k];
  }
  return sum / squares;
}

TEST(DrawPlaces, EveryStratumIsHeldOnce) {
  for (const double shared : {0.0, 0.3, 1.0})
    for (const std::uint32_t seed : {0u, 1u, 4000000000u}) {
      const DrawPlaces places = draw_places(seed, shared);
      for (const Strata* strata : {&places.curve, &places.noise, &places.straying}) {
        const std::set<std::uint16_t> held(strata->begin(), strata->end());
        EXPECT_EQ(held.size(), kDraws);
        EXPECT_EQ(*held.rbegin(), kDraws - 1);
      }
    }
}

TEST(DrawPlaces, NoiseIsSharedAsToldAndCurvesAQuarterOfThat) {
  for (const double shared : {0.0, 0.4, 0.8, 1.0}) {
    double noise = 0, curve = 0, straying = 0;
    constexpr std::uint32_t kPairs = 50;
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      const DrawPlaces a = draw_places(seed_of("a" + std::to_string(i)), shared);
      const DrawPlaces b = draw_places(seed_of("b" + std::to_string(i)), shared);
      noise += correlation(a.noise, b.noise) / kPairs;
      curve += correlation(a.curve, b.curve) / kPairs;
      straying += correlation(a.straying, b.straying) / kPairs;
    }
    EXPECT_NEAR(noise, shared, 0.03) << shared;
    EXPECT_NEAR(curve, common_priors().shared_beyond_noise * shared, 0.03) << shared;
    EXPECT_NEAR(straying, common_priors().shared_beyond_noise * shared, 0.03) << shared;
  }
}

TEST(DrawPlaces, WhatIsUnknownAboutOneLawIsUnrelated) {
  const DrawPlaces places = draw_places(7, 0);
  EXPECT_NEAR(correlation(places.curve, places.noise), 0, 0.03);
  EXPECT_NEAR(correlation(places.curve, places.straying), 0, 0.03);
  EXPECT_NEAR(correlation(places.noise, places.straying), 0, 0.03);
}

TEST(DrawPlaces, TheStrataAreOfANormal) {
  const Draws& z = stratum_normals();
  EXPECT_TRUE(std::is_sorted(z.begin(), z.end()));
  for (std::size_t k = 0; k < kDraws; ++k)
    EXPECT_NEAR(0.5 * std::erfc(-z[k] * M_SQRT1_2), (static_cast<double>(k) + 0.5) / kDraws, 1e-10);
}

TEST(DrawPlaces, TheSeedIsThatOfTheName) {
  EXPECT_EQ(seed_of(""), 2166136261U);
  EXPECT_EQ(seed_of("a"), 0xe40c292cU);  // as published with FNV-1a
  EXPECT_EQ(seed_of("foobar"), 0xbf9cf968U);
}

/// The draws of a law have the quantiles of its posterior: within 5 % of the interval's width, and
/// in the root mean square within 1.5 %. (They are a lattice in three dimensions, so they are exact
/// only in the mean.)
TEST(RecipeNodes, QuantilesAreThoseOfTheExactMixture) {
  const std::vector<double> procs = {2, 4, 8, 16}, times = {10, 5.5, 3.2, 1.9};
  double squares = 0;
  int quantiles = 0;
  for (const char* prior : {"total", "leaf", "communication", "waiting", "end"}) {
    SCOPED_TRACE(prior);
    std::vector<RecipePoint> points;
    for (std::size_t i = 0; i < procs.size(); ++i) {
      const double l = std::log(procs[i] / procs.back());
      points.push_back({.l = l, .l_procs = l, .max_procs = 16, .y = std::log(times[i])});
    }
    const RecipePosterior posterior(points, recipe_priors(prior, false), {std::log(0.02), 0.3});
    const auto at = [&](double p) {
      const double l = std::log(p / procs.back());
      return RecipeTarget{
          .l = l, .l_procs = l, .max_procs = 16, .distance = std::max(l, 0.0), .counts = {}};
    };
    const RecipeNodes nodes(posterior, at(64 * 16));
    for (const double target : {3.0, 4.0, 8.0, 12.0, 16.0, 32.0, 64.0, 256.0}) {
      const LogMixture exact = exact_mixture(posterior, at(target));
      const double width = exact.ln_quantile(0.9) - exact.ln_quantile(0.1);
      Draws draws = nodes.draw(at(target), draw_places(3, 0));
      for (const double q : {0.1, 0.25, 0.5, 0.75, 0.9}) {
        const double miss = (quantile(&draws, q) - exact.ln_quantile(q)) / width;
        EXPECT_NEAR(miss, 0, 0.05) << target << " " << q;
        squares += miss * miss;
        ++quantiles;
      }
    }
  }
  EXPECT_LT(std::sqrt(squares / quantiles), 0.015);
}

/// Waiting that a count explains. Beyond the points, some draws are changed by a factor; the exact
/// mixture has the same quantiles.
TEST(RecipeNodes, WaitingMayChangeBeyondTheRuns) {
  const UnseenChange change = recipe_priors("waiting", false).change;
  ASSERT_GT(change.chance, 0);
  const auto time = [](double procs) { return 0.1 + 16 / procs; };
  std::vector<RecipePoint> points;
  RecipeCounts counts{.at_points = {{}}};
  for (const double procs : {2.0, 4.0, 8.0, 16.0}) {
    const double l = std::log(procs / 16);
    points.push_back({.l = l, .l_procs = l, .max_procs = 16, .y = std::log(time(procs))});
    counts.at_points[0].push_back(time(procs) / time(16));
  }
  const auto at = [&](double procs) {
    const double l = std::log(procs / 16);
    return RecipeTarget{.l = l,
                        .l_procs = l,
                        .max_procs = 16,
                        .distance = std::max(l, 0.0),
                        .counts = {{time(procs) / time(16)}}};
  };
  const RecipePosterior posterior(points, recipe_priors("waiting", false), {std::log(0.02), 0.3},
                                  {counts});
  ASSERT_GT(posterior.count_posterior(0), 0.8);
  Mechanisms without = mechanisms();
  without.unseen_changes = false;
  const auto draws = [&](double procs) {
    const RecipePosterior p(points, recipe_priors("waiting", false), {std::log(0.02), 0.3},
                            {counts});
    return RecipeNodes(p, at(1024)).draw(at(procs), draw_places(3, 0));
  };
  for (const auto& [procs, chance] : {std::pair{16.0, 0.0},
                                      {16 * std::numbers::sqrt2, change.chance / 2},
                                      {32.0, change.chance},
                                      {64.0, change.chance}}) {
    SCOPED_TRACE(procs);
    const Draws with = draws(procs);
    const Draws before = [&] {
      const WithMechanisms off(without);
      return draws(procs);
    }();
    std::vector<double> changes;
    for (std::size_t k = 0; k < kDraws; ++k)
      if (with[k] != before[k]) changes.push_back(with[k] - before[k]);
    EXPECT_NEAR(static_cast<double>(changes.size()) / kDraws, chance * posterior.count_posterior(0),
                0.02);
    if (chance > 0) {
      EXPECT_NEAR(mean(changes), change.ln_factor.mean, 0.1);
    }
    const LogMixture exact = exact_mixture(posterior, at(procs));
    Draws sorted = with;
    const double width = exact.ln_quantile(0.9) - exact.ln_quantile(0.1);
    for (const double q : {0.1, 0.25, 0.5, 0.75, 0.9})
      EXPECT_NEAR(quantile(&sorted, q), exact.ln_quantile(q), 0.05 * width) << q;
  }
}

TEST(DrawEstimates, QuantilesLieBetweenDrawsAndAreMonotone) {
  Draws draws;
  for (std::size_t k = 0; k < kDraws; ++k) draws[k] = static_cast<double>((k * 317) % kDraws);
  EXPECT_DOUBLE_EQ(quantile(&draws, 0.5), 255.5);
  EXPECT_DOUBLE_EQ(quantile(&draws, 0.5 / kDraws), 0);
  EXPECT_DOUBLE_EQ(quantile(&draws, 1e-9), 0);
  EXPECT_DOUBLE_EQ(quantile(&draws, 1 - 1e-9), kDraws - 1);
  double before = -1;
  for (double q = 0.001; q < 1; q += 0.001) {
    EXPECT_GE(quantile(&draws, q), before);
    before = quantile(&draws, q);
  }
}

TEST(DrawEstimates, TermsAddUpToTheMedianOfThePart) {
  Draws a, b, whole;
  const DrawPlaces x = draw_places(1, 0), y = draw_places(2, 0);
  for (std::size_t k = 0; k < kDraws; ++k) {
    a[k] = std::exp(stratum_normals()[x.curve[k]]);
    b[k] = 2 * std::exp(0.3 * stratum_normals()[y.curve[k]]);
    whole[k] = a[k] + b[k];
  }
  const DrawEstimates estimates(whole, 0.8);
  EXPECT_DOUBLE_EQ(estimates.part().time_s, median(whole));
  EXPECT_NEAR(estimates.term_s(a) + estimates.term_s(b), estimates.part().time_s, 1e-12);
  Draws copy = b;
  EXPECT_DOUBLE_EQ(estimates.term(b).low_s, quantile(&copy, 0.1));
  EXPECT_DOUBLE_EQ(estimates.term(b).high_s, quantile(&copy, 0.9));
  EXPECT_EQ(DrawEstimates(Draws{}, 0.8).part().time_s, 0);
  EXPECT_EQ(DrawEstimates(Draws{}, 0.8).term(Draws{}).high_s, 0);

  // The sum of the parts' own medians is expected; the median of the sum would be higher.
  const TimeEstimate of_parts = estimate_of_whole({&a, &b}, 0.8);
  EXPECT_DOUBLE_EQ(of_parts.time_s, median(a) + median(b));
  EXPECT_LT(of_parts.time_s, 0.95 * median(whole));
  copy = whole;
  EXPECT_DOUBLE_EQ(of_parts.low_s, quantile(&copy, 0.1));
  EXPECT_DOUBLE_EQ(of_parts.high_s, quantile(&copy, 0.9));
}

std::vector<PlantedRun> noisy_campaign() {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8})
    for (const int repetition : {1, 2, 3}) {
      PlantedRun run = halo_run(p, repetition);
      run.sample_s = 0.001;
      for (auto& [name, s] : run.kernel_s) s *= 1 + 0.02 * ((repetition * 7 + p) % 5 - 2);
      run.coll_s *= 1 + 0.03 * ((repetition * 3 + p) % 5 - 2);
      runs.push_back(run);
    }
  return runs;
}

TEST(ModelDraws, PartsOfADrawAddUpToItsWhole) {
  const Model model = fit_runs(noisy_campaign());
  const ModelDraws laws(model);
  const DrawnTimes drawn = laws.at(64, model.points.back().work);
  for (std::size_t k = 0; k < kDraws; ++k) {
    double whole = 0;
    for (const DrawnTimes::OfPart& part : drawn.parts) {
      double sum = 0;
      for (const Draws& law : part.laws) sum += law[k];
      EXPECT_DOUBLE_EQ(part.sum[k], sum);
      whole += sum;
    }
    EXPECT_NEAR(drawn.whole[k], whole, 1e-12 * whole);
  }
}

/// The draws of a law depend on its name, not on the other laws. So they stay the same, in the same
/// order, when two kernels are swapped.
TEST(ModelDraws, ALawIsDrawnTheSameAmongOthers) {
  Model model = fit_runs(noisy_campaign());
  ASSERT_GE(model.kernels.size(), 2u);
  const auto drawn = [](const Model& m) { return ModelDraws(m).at(64, m.points.back().work); };
  const Draws first = drawn(model).parts[0].laws[0];
  std::swap(model.kernels[0], model.kernels[1]);
  EXPECT_EQ(drawn(model).parts[0].laws[1], first);
}

/// Four closed forms that agree at the last point and differ beyond it. The likeliest form gets the
/// middle half of the draws.
TEST(ModelDraws, LawsFreeOfNoiseAreInTheMiddleHalfTheLikeliest) {
  TimeLaw law;
  law.kind = TimeLaw::Kind::kExact;
  law.prior = "leaf";
  law.points = {{2, 1, 2}, {4, 1, 4}, {8, 1, 8}};
  for (const double slope : {1.0, 0.5, 0.75, 1.25})
    law.exact.hypotheses.push_back({{{8 / std::pow(8, slope), slope}}, 1, 0.25, 0, true});
  const Draws draws = TimeLawEvaluator(law).draws(64, 1, {}, draw_places(1, 0.5));
  const auto form = [&](double slope) { return 8 * std::pow(8, slope); };
  std::map<double, int> held;
  for (const double t : draws)
    for (const double slope : {0.5, 0.75, 1.0, 1.25})
      if (std::abs(t / form(slope) - 1) < 1e-4) ++held[slope];
  EXPECT_EQ(held[1.0], 256);
  EXPECT_EQ(held[0.5], 64);
  EXPECT_EQ(held[0.75], 64);
  EXPECT_EQ(held[1.25], 128);
  Draws copy = draws;
  EXPECT_NEAR(quantile(&copy, 0.1), form(0.5), 1e-4 * form(0.5));
  EXPECT_EQ(quantile(&copy, 0.5), form(1.0));
  EXPECT_NEAR(quantile(&copy, 0.9), form(1.25), 1e-4 * form(1.25));
}

TEST(ModelDraws, TheBackTestIsThePredictionOfAModelOfFewerRuns) {
  std::vector<PlantedRun> runs = noisy_campaign();
  const Model model = fit_runs(runs);
  std::erase_if(runs, [](const PlantedRun& r) { return r.procs == 8; });
  const Prediction p = predict(fit_runs(runs), {.procs = 8, .params = {}, .scaling = {}});
  ASSERT_TRUE(model.backtest.possible);
  EXPECT_DOUBLE_EQ(model.backtest.time_s, p.time.time_s);
  EXPECT_DOUBLE_EQ(model.backtest.low_s, p.time.low_s);
  EXPECT_DOUBLE_EQ(model.backtest.high_s, p.time.high_s);
}

TEST(ModelDraws, EfficiencyHasAnInterval) {
  const Prediction p =
      predict(fit_runs(noisy_campaign()), {.procs = 64, .params = {}, .scaling = {}});
  ASSERT_TRUE(p.efficiency && p.efficiency_interval);
  const auto [low, high] = *p.efficiency_interval;
  EXPECT_LT(low, *p.efficiency);
  EXPECT_LT(*p.efficiency, high);
  EXPECT_EQ(to_json(p).at("efficiency_interval"), Json({low, high}));
}

}  // namespace
}  // namespace apmt
