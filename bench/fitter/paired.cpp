#include "bench/fitter/paired.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>

#include "bench/fitter/bench.h"

namespace apmt::bench {
namespace {

constexpr int kResamples = 2000;
constexpr std::size_t kLow = kResamples / 10, kHigh = kResamples - 1 - kLow;

}  // namespace

Judged judged(const std::string& program, const Check& check) {
  const double seen = std::log(check.measured_s);
  const double low = std::log(std::max(check.predicted.low_s, 1e-300));
  const double high = std::log(std::max(check.predicted.high_s, 1e-300));
  return {.program = program,
          .error = std::abs(std::log(check.predicted.time_s) - seen),
          .score = score_80(low, high, seen),
          .covered = low <= seen && seen <= high ? 1.0 : 0.0};
}

MeanOfPrograms mean_over_programs(const std::vector<Judged>& points, double Judged::*what) {
  struct Sum {
    double value = 0;
    double points = 0;
  };
  std::map<std::string, Sum> by_program;
  Sum all;
  for (const Judged& p : points) {
    for (Sum* sum : {&all, &by_program[p.program]}) {
      sum->value += p.*what;
      sum->points += 1;
    }
  }
  if (points.empty()) return {};
  std::vector<Sum> programs;
  for (const auto& [name, sum] : by_program) programs.push_back(sum);
  std::mt19937_64 random(1);
  std::vector<double> means;
  for (int i = 0; i < kResamples; ++i) {
    Sum drawn;
    for (std::size_t k = 0; k < programs.size(); ++k) {
      const Sum& one = programs[random() % programs.size()];
      drawn.value += one.value;
      drawn.points += one.points;
    }
    means.push_back(drawn.value / drawn.points);
  }
  std::sort(means.begin(), means.end());
  return {all.value / all.points, means[kLow], means[kHigh]};
}

std::vector<Judged> differences(const std::vector<Judged>& first,
                                const std::vector<Judged>& second) {
  if (first.size() != second.size())
    throw std::logic_error("paired comparison of lists with different points");
  std::vector<Judged> result;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Judged &a = first[i], &b = second[i];
    if (a.program != b.program)
      throw std::logic_error("paired comparison of different programs: " + a.program + ", " +
                             b.program);
    result.push_back({a.program, a.error - b.error, a.score - b.score, a.covered - b.covered});
  }
  return result;
}

}  // namespace apmt::bench
