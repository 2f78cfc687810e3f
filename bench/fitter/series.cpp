// Predictions of published strong-scaling series from real machines (bench/series). Models are
// fitted to the smallest process counts and predict up to 16 times the largest of these. For each
// count only a total time is known.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "bench/fitter/bench.h"
#include "bench/fitter/published.h"
#include "fitter/foreign_data.h"
#include "fitter/prediction.h"

namespace apmt::bench {
namespace {

/// The errors of one method over all series.
struct Score {
  std::vector<double> errors;                           // one for every predicted point
  std::map<std::string, std::vector<double>> of_codes;  // by code, the mean error of each series
  double covered = 0;
  double interval_score = 0;

  void print(const char* name, bool intervals) {
    std::sort(errors.begin(), errors.end());
    const auto mean = [](const std::vector<double>& v) {
      double sum = 0;
      for (const double x : v) sum += x;
      return 100 * sum / static_cast<double>(v.size());
    };
    std::vector<double> codes;
    for (const auto& [code, of_series] : of_codes) codes.push_back(mean(of_series) / 100);
    const double n = static_cast<double>(errors.size());
    std::printf("| %s | %.0f | %.1f | %.1f | %.0f | %.1f |", name, n, mean(errors),
                100 * errors[errors.size() / 2], 100 * errors.back(), mean(codes));
    if (intervals)
      std::printf(" %.0f %% | %.2f |\n", 100 * covered / n, interval_score / n);
    else
      std::printf(" - | - |\n");
  }
};

Model model_of(const Series& s, std::size_t trained) {
  std::vector<RunProfile> runs;
  for (std::size_t i = 0; i < trained; ++i)
    runs.push_back(profile_of_total(s.name, s.points[i].procs, 1, s.points[i].time_s));
  return fit(make_experiment(std::move(runs)), bench_fit_options());
}

}  // namespace

void series(const std::string& set, std::size_t trained) {
  std::map<std::string, Score> scores;
  std::printf("| series | P trained | P asked | error %% at each |\n|---|---|---|---|\n");
  for (const Series& s : published_series(set)) {
    const std::vector<Point> ahead = bench::asked(s, trained);
    if (ahead.empty()) continue;
    const Model model = model_of(s, trained);
    const Predictor predictor(model);
    std::map<std::string, std::vector<double>> of_series;
    std::string asked, found;
    for (const Point& p : ahead) {
      const Prediction said =
          predictor.predict({.procs = p.procs, .params = {}, .scaling = Scaling::kStrong});
      of_series["apmt"].push_back(std::abs(said.time.time_s / p.time_s - 1));
      for (const auto& [baseline, time_s] : said.baselines_s)
        of_series[baseline].push_back(std::abs(time_s / p.time_s - 1));
      const double y = std::log(p.time_s);
      const double low = std::log(said.time.low_s), high = std::log(said.time.high_s);
      scores["apmt"].covered += low <= y && y <= high;
      scores["apmt"].interval_score += score_80(low, high, y);
      asked += (asked.empty() ? "" : " ") + std::to_string(p.procs);
      char text[32];
      std::snprintf(text, sizeof text, "%s%+.0f", found.empty() ? "" : " ",
                    100 * (said.time.time_s / p.time_s - 1));
      found += text;
    }
    std::string learned;
    for (std::size_t i = 0; i < trained; ++i)
      learned += (i == 0 ? "" : " ") + std::to_string(s.points[i].procs);
    std::printf("| %s | %s | %s | %s |\n", s.name.c_str(), learned.c_str(), asked.c_str(),
                found.c_str());
    for (const auto& [method, errors] : of_series) {
      double sum = 0;
      for (const double e : errors) sum += e;
      scores[method].of_codes[s.code()].push_back(sum / static_cast<double>(errors.size()));
      scores[method].errors.insert(scores[method].errors.end(), errors.begin(), errors.end());
    }
  }
  std::printf(
      "\n| method | points | mean error %% | median %% | worst %% | mean of codes %% | coverage of "
      "80 %% | interval score (ln T) |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (auto& [method, score] : scores) score.print(method.c_str(), method == "apmt");
}

}  // namespace apmt::bench
