// The best single prediction, and the best single interval, for several times (given as
// logarithms). Both are chosen with knowledge of these times.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/fitter/bench.h"

namespace apmt::bench {

/// The relative error of the prediction e^said if the true time is e^y.
inline double error(double said, double y) { return std::abs(std::exp(said - y) - 1); }

struct Weighted {
  double value, weight;
};

inline double weighted_median(std::vector<Weighted> all) {
  std::sort(all.begin(), all.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double half = 0;
  for (const Weighted& w : all) half += 0.5 * w.weight;
  for (const Weighted& w : all)
    if ((half -= w.weight) <= 0) return w.value;
  return all.back().value;
}

/// The logarithm of the prediction with the least mean relative error, which is a weighted median.
inline double best_answer(const std::vector<double>& ys) {
  std::vector<Weighted> all;
  for (const double y : ys) all.push_back({y, std::exp(-y)});
  return weighted_median(all);
}

/// The interval score of the best single 80 % interval, averaged over the times.
inline double best_score(const std::vector<double>& ys) {
  double best = INFINITY;
  for (const double low : ys)
    for (const double high : ys) {
      if (high < low) continue;
      double sum = 0;
      for (const double y : ys) sum += score_80(low, high, y);
      best = std::min(best, sum / static_cast<double>(ys.size()));
    }
  return best;
}

}  // namespace apmt::bench
