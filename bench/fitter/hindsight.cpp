// Shows how good predictions of the published series could become with other priors. A random
// search varies the priors of a total time. It keeps those whose predictions of the known results
// have the least mean error, the least interval score, or the least sum of both with equal weights
// for all codes. The result estimates the best that any choice of these priors can achieve. If the
// search uses only the development series (those that may influence the priors; see bench/series),
// it is also a way to choose priors.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/mean.h"
#include "bench/fitter/bench.h"
#include "bench/fitter/published.h"
#include "fitter/prediction/draw_estimates.h"

namespace apmt::bench {
namespace {

/// One number of the priors that the search varies, with its limits and the size of a random step.
struct Number {
  const char* name;
  double& (*of)(RecipePriors& p);
  double least, most, step;
};

const std::vector<Number>& numbers() {
  using P = RecipePriors;
  static const std::vector<Number> all = {
      {"slope", [](P& p) -> double& { return p.slope.mean; }, -1.2, -0.4, 0.08},
      {"slope's sd", [](P& p) -> double& { return p.slope.sd; }, 0.02, 0.6, 0.08},
      {"logit share", [](P& p) -> double& { return p.logit_share.mean; }, -4, 2, 0.6},
      {"logit share's sd", [](P& p) -> double& { return p.logit_share.sd; }, 0.1, 3, 0.4},
      {"fall", [](P& p) -> double& { return p.fall.mean; }, 0.7, 1.3, 0.08},
      {"fall's sd", [](P& p) -> double& { return p.fall.sd; }, 0.005, 0.3, 0.04},
      {"rise", [](P& p) -> double& { return p.rise.mean; }, -1, 0.8, 0.2},
      {"rise's sd", [](P& p) -> double& { return p.rise.sd; }, 0.02, 1, 0.12},
      {"perfect", [](P& p) -> double& { return p.perfect; }, 0, 0.9, 0.15},
      {"two terms", [](P& p) -> double& { return p.two_terms; }, 0.01, 0.99, 0.15},
      {"widening", [](P& p) -> double& { return p.widening; }, 0, 0.5, 0.04},
      {"wander among", [](P& p) -> double& { return p.wander.among; }, 0, 0.5, 0.04},
      {"wander ahead", [](P& p) -> double& { return p.wander.ahead; }, 0, 0.5, 0.04},
      {"accident", [](P& p) -> double& { return p.accident; }, 0, 0.5, 0.05},
  };
  return all;
}

constexpr double kErrorToScore =
    6;  // typical interval score / typical error, so that both have about equal weight

struct Errors {
  double mean = 0;
  double median = 0;
  double worst = 0;
  double interval_score = 0;
  double of_codes = 0;  // sum of error and score, with equal weights for all codes
};

Errors errors_of(const RecipePriors& priors, const std::vector<Series>& all) {
  std::vector<double> errors;
  double interval_score = 0;
  std::map<std::string, std::vector<double>> codes;
  for (const Series& s : all) {
    const RecipeOfTotal recipe(s, priors);
    const std::vector<Point> ahead = asked(s);
    double of_series = 0;
    for (const Point& p : ahead) {
      Draws said = recipe.at(p.procs);
      const double y = std::log(p.time_s);
      errors.push_back(std::abs(std::exp(quantile(&said, 0.5) - y) - 1));
      const double score = score_80(quantile(&said, 0.1), quantile(&said, 0.9), y);
      interval_score += score;
      of_series += score + kErrorToScore * errors.back();
    }
    if (!ahead.empty()) codes[s.code()].push_back(of_series / static_cast<double>(ahead.size()));
  }
  std::sort(errors.begin(), errors.end());
  double of_codes = 0;
  for (const auto& [code, of_series] : codes) of_codes += mean(of_series);
  return {mean(errors), errors[errors.size() / 2], errors.back(),
          interval_score / static_cast<double>(errors.size()),
          of_codes / static_cast<double>(codes.size())};
}

void print(const char* what, const Errors& e) {
  std::printf("| %s | %.1f | %.1f | %.0f | %.2f | %.3f |\n", what, 100 * e.mean, 100 * e.median,
              100 * e.worst, e.interval_score, e.of_codes);
  std::fflush(stdout);
}

}  // namespace

void hindsight(int trials, unsigned long seed, const std::string& least_of,
               const std::string& set) {
  const auto aim = least_of == "score"   ? &Errors::interval_score
                   : least_of == "codes" ? &Errors::of_codes
                                         : &Errors::mean;
  const std::vector<Series> all = published_series(set);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::printf(
      "| priors | mean error %% | median %% | worst %% | interval score (ln T) | both, of codes |\n"
      "|---|---|---|---|---|---|\n");
  RecipePriors best = recipe_priors("total", false);
  Errors least = errors_of(best, all);
  print("in use", least);
  constexpr std::array<double, 3> kShares = {0.15, 0.4, 1};  // share of the numbers that change
  double size = 1;
  for (int trial = 0; trial < trials; ++trial) {
    RecipePriors p = best;
    const double share = kShares[random() % kShares.size()];
    for (const Number& n : numbers())
      if (uniform(random) < share)
        n.of(p) = std::clamp(n.of(p) + size * n.step * normal(random), n.least, n.most);
    if (uniform(random) < share) p.noise.mean += 0.4 * size * normal(random);
    const Errors e = errors_of(p, all);
    if (e.*aim < least.*aim) {
      least = e;
      best = p;
    }
    if (trial % 100 == 99) {
      size *= 0.8;
      print(("best of " + std::to_string(trial + 1)).c_str(), least);
    }
  }
  std::printf("\nnoise %.4f x / %.3f", std::exp(best.noise.mean), std::exp(best.noise.sd));
  for (const Number& n : numbers()) std::printf(", %s %.4f", n.name, n.of(best));
  std::printf("\n");
}

}  // namespace apmt::bench
