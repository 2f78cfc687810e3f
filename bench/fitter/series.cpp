// Predictions of published strong-scaling series from real machines (bench/series). Models are
// fitted to the smallest process counts and predict up to 16 times the largest of these. For each
// count only a total time is known.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "base/mean.h"
#include "bench/fitter/bench.h"
#include "bench/fitter/published.h"
#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "foreign/data.h"

namespace apmt::bench {
namespace {

constexpr double kLeastRatio = 1e-3;  // smaller ratios of predicted to measured time count as this
constexpr int kResamples = 2000;
constexpr unsigned kSeed = 1;

double error_of(double ratio) { return std::abs(ratio - 1); }
double ln_error_of(double ratio) { return std::abs(std::log(std::max(ratio, kLeastRatio))); }

/// The predictions of one method.
struct Score {
  /// The ratios of predicted to measured time: for each code, a list of its series; for each
  /// series, one ratio per predicted point.
  std::map<std::string, std::vector<std::vector<double>>> ratios;
  double covered = 0;
  double interval_score = 0;

  std::vector<double> all(double (*error)(double)) const {
    std::vector<double> errors;
    for (const auto& [code, of_series] : ratios)
      for (const std::vector<double>& points : of_series)
        for (const double ratio : points) errors.push_back(error(ratio));
    return errors;
  }

  void print(const char* name, bool intervals) const {
    std::vector<double> codes;
    for (const auto& [code, of_series] : ratios) {
      std::vector<double> each;
      for (const std::vector<double>& points : of_series) {
        std::vector<double> errors;
        for (const double ratio : points) errors.push_back(error_of(ratio));
        each.push_back(mean(errors));
      }
      codes.push_back(mean(each));
    }
    std::vector<double> errors = all(error_of);
    std::sort(errors.begin(), errors.end());
    const double n = static_cast<double>(errors.size());
    std::printf("| %s | %.0f | %.1f | %.1f | %.0f | %.1f | %.3f |", name, n, 100 * mean(errors),
                100 * errors[errors.size() / 2], 100 * errors.back(), 100 * mean(codes),
                mean(all(ln_error_of)));
    if (intervals)
      std::printf(" %.0f %% | %.2f |\n", 100 * covered / n, interval_score / n);
    else
      std::printf(" - | - |\n");
  }
};

/// Prints how much larger the mean ln error of a method is than that of apmt, and an 80 % interval
/// of this difference. The interval comes from a bootstrap: codes are drawn with replacement, each
/// with all its points.
void compare(const Score& ours, const Score& theirs, const char* name) {
  struct Sums {
    double difference = 0;
    double points = 0;
  };
  std::vector<Sums> codes;
  for (const auto& [code, of_series] : ours.ratios) {
    Sums& sums = codes.emplace_back();
    const auto& others = theirs.ratios.at(code);
    for (std::size_t s = 0; s < of_series.size(); ++s)
      for (std::size_t i = 0; i < of_series[s].size(); ++i) {
        sums.difference += ln_error_of(others[s][i]) - ln_error_of(of_series[s][i]);
        ++sums.points;
      }
  }
  std::mt19937 random(kSeed);
  std::vector<double> means;
  for (int k = 0; k < kResamples; ++k) {
    Sums drawn;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const Sums& code = codes[random() % codes.size()];
      drawn.difference += code.difference;
      drawn.points += code.points;
    }
    means.push_back(drawn.difference / drawn.points);
  }
  std::sort(means.begin(), means.end());
  std::printf("| %s | %+.3f | %+.3f to %+.3f |\n", name,
              mean(theirs.all(ln_error_of)) - mean(ours.all(ln_error_of)), means[kResamples / 10],
              means[kResamples - 1 - kResamples / 10]);
}

/// The predictions of one tool, by series and process count.
using Predictions = std::map<std::pair<std::string, int>, double>;

double found_in(const Predictions& times_s, const std::string& method, const std::string& series,
                int procs) {
  const auto found = times_s.find({series, procs});
  if (found == times_s.end())
    throw InputError("the other predictions",
                     "there is none by " + method + " of " + series + " on " +
                         std::to_string(procs) + " processes",
                     "make them with the same set and number of counts");
  return found->second;
}

/// Predictions of other tools: lines "method,series,procs,seconds".
using OthersPredictions = std::map<std::string, Predictions>;

OthersPredictions read_predictions(const std::string& file) {
  OthersPredictions all;
  if (file.empty()) return all;
  std::ifstream lines(file);
  if (!lines) throw InputError(file, "cannot be read");
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string method, series, procs, seconds;
    std::getline(fields, method, ',');
    std::getline(fields, series, ',');
    std::getline(fields, procs, ',');
    std::getline(fields, seconds);
    all[method][{series, std::stoi(procs)}] = std::stod(seconds);
  }
  return all;
}

Model model_of(const Series& s, std::size_t trained) {
  std::vector<RunProfile> runs;
  for (std::size_t i = 0; i < trained; ++i)
    runs.push_back(profile_of_total(s.name, s.points[i].procs, 1, s.points[i].time_s));
  return fit(make_experiment(std::move(runs)), bench_fit_options());
}

}  // namespace

void series(const std::string& set, std::size_t trained, const std::string& others) {
  const OthersPredictions predictions = read_predictions(others);
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
      of_series["apmt"].push_back(said.time.time_s / p.time_s);
      for (const auto& [baseline, time_s] : said.baselines_s)
        of_series[baseline].push_back(time_s / p.time_s);
      for (const auto& [method, times_s] : predictions)
        of_series[method].push_back(found_in(times_s, method, s.name, p.procs) / p.time_s);
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
    for (const auto& [method, ratios] : of_series)
      scores[method].ratios[s.code()].push_back(ratios);
  }
  std::printf(
      "\n| method | points | mean error %% | median %% | worst %% | mean of codes %% | mean ln "
      "error | coverage of 80 %% | interval score (ln T) |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [method, score] : scores) score.print(method.c_str(), method == "apmt");
  std::printf("\n| method | mean ln error minus apmt's | 80 %% interval |\n|---|---|---|\n");
  for (const auto& [method, score] : scores)
    if (method != "apmt") compare(scores.at("apmt"), score, method.c_str());
}

}  // namespace apmt::bench
