// A lower limit of the error for methods that predict from the shape of three total times: two
// slopes of ln T over ln P, where T is the time and P the process count. If the shapes of several
// series (twins) differ by no more than noise, such a method predicts the same for all of them. If
// these series continue differently, some of its predictions are wrong.
//
// Here each group of twins gets the prediction that is best in hindsight. So no method that makes
// one prediction for all twins can have a smaller error. The second table shows what can be learned
// without hindsight: it predicts each series from those of other codes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "base/mean.h"
#include "bench/fitter/bench.h"
#include "bench/fitter/least_miss.h"
#include "bench/fitter/published.h"
#include "fitter/prediction/draw_estimates.h"

namespace apmt::bench {
namespace {

constexpr double kSameFactor = 0.1;  // in ln P; points this close count as equally far ahead

struct Asked {
  std::string series, code;
  double first = 0, second = 0;  // slopes of ln T over ln P between the trained points
  double ahead = 0;              // ln(P / largest fitted P)
  double y = 0;                  // ln(T / T at the largest fitted P)
  Draws said;                    // apmt's prediction of y
};

std::vector<Asked> all_points() {
  std::vector<Asked> points;
  for (const Series& s : published_series()) {
    const RecipeOfTotal recipe(s, recipe_priors("total", false));
    const auto ln = [](double a, double b) { return std::log(a / b); };
    const Point &a = s.points[0], &b = s.points[1], &c = s.points[2];
    for (const Point& p : asked(s)) {
      Draws said = recipe.at(p.procs);
      for (double& ln_time : said) ln_time -= std::log(c.time_s);
      points.push_back({s.name, s.code(), ln(b.time_s, a.time_s) / ln(b.procs, a.procs),
                        ln(c.time_s, b.time_s) / ln(c.procs, b.procs), ln(p.procs, c.procs),
                        ln(p.time_s, c.time_s), said});
    }
  }
  return points;
}

double middle(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Least {
  double error = INFINITY;
  double score = INFINITY;
};

/// The smallest possible error and score for these points. The prediction of y is a constant plus,
/// for each of the two slopes, a multiple of slope times `ahead`. The constant and the multiples
/// (0, kStep, ..., 1) are the same for all points and, in hindsight, the best for them.
Least least_of(const std::vector<const Asked*>& alike) {
  constexpr double kStep = 0.25;
  Least least;
  for (double of_first = 0; of_first <= 1; of_first += kStep)
    for (double of_second = 0; of_second <= 1; of_second += kStep) {
      std::vector<double> ys;
      for (const Asked* q : alike)
        ys.push_back(q->y - (of_first * q->first + of_second * q->second) * q->ahead);
      const double answer = best_answer(ys);
      double sum = 0;
      for (const double y : ys) sum += error(answer, y);
      least.error = std::min(least.error, sum / static_cast<double>(ys.size()));
      least.score = std::min(least.score, best_score(ys));
    }
  return least;
}

void print_bound(const std::vector<Asked>& points, double apart) {
  std::vector<double> least_errors, least_scores, errors, scores;
  for (const Asked& p : points) {
    std::vector<const Asked*> alike;
    std::set<std::string> series;
    for (const Asked& q : points)
      if (std::abs(q.first - p.first) <= apart && std::abs(q.second - p.second) <= apart &&
          std::abs(q.ahead - p.ahead) <= kSameFactor) {
        alike.push_back(&q);
        series.insert(q.series);
      }
    if (series.size() < 2) continue;
    const Least least = least_of(alike);
    least_errors.push_back(least.error);
    least_scores.push_back(least.score);
    Draws said = p.said;
    errors.push_back(error(quantile(&said, 0.5), p.y));
    scores.push_back(score_80(quantile(&said, 0.1), quantile(&said, 0.9), p.y));
  }
  std::printf("| %.2f | %zu of %zu | %.1f | %.2f | %.1f | %.2f |\n", apart, least_errors.size(),
              points.size(), 100 * mean(least_errors), mean(least_scores), 100 * mean(errors),
              mean(scores));
}

/// Predicts y of point `p` from the points of other codes: the result is p.ahead times the weighted
/// median of their y / ahead. The more the slopes of a point and its `ahead` differ from those of
/// `p`, the smaller is the point's weight. The weight follows a normal curve, with the standard
/// deviation `width` for the slopes and four times `width` for `ahead`.
double from_others(const Asked& p, const std::vector<Asked>& points, double width) {
  std::vector<Weighted> slopes;
  for (const Asked& q : points) {
    if (q.code == p.code) continue;
    const double z[] = {(q.first - p.first) / width, (q.second - p.second) / width,
                        (q.ahead - p.ahead) / (4 * width)};
    const double square = z[0] * z[0] + z[1] * z[1] + z[2] * z[2];
    slopes.push_back({q.y / q.ahead, std::exp(-0.5 * square) + 1e-12});
  }
  return p.ahead * weighted_median(slopes);
}

}  // namespace

void twins() {
  const std::vector<Asked> points = all_points();
  std::printf(
      "| slopes alike to | points with a twin | least mean error %% | least interval score (ln T) "
      "| apmt's error there %% | its score |\n|---|---|---|---|---|---|\n");
  for (const double apart : {0.04, 0.08, 0.12}) print_bound(points, apart);
  std::printf(
      "\n| learned from other codes, width | mean error %% | median %% | worst %% |\n"
      "|---|---|---|---|\n");
  for (const double width : {0.1, 0.2, 0.3, 0.5, 1.0}) {
    std::vector<double> errors;
    for (const Asked& p : points) errors.push_back(error(from_others(p, points, width), p.y));
    std::printf("| %.1f | %.1f | %.1f | %.0f |\n", width, 100 * mean(errors), 100 * middle(errors),
                100 * *std::max_element(errors.begin(), errors.end()));
  }
}

}  // namespace apmt::bench
