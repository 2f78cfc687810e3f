#include "fitter/small_least_squares.h"

#include <cmath>
#include <limits>

namespace apmt {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void subtract(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= factor * b[i];
}

}  // namespace

std::optional<std::vector<double>> solve_least_squares(std::vector<std::vector<double>> columns,
                                                       std::vector<double> y) {
  const std::size_t k = columns.size();
  if (k == 0 || y.size() < k) return std::nullopt;
  std::vector<double> scale(k);
  for (std::size_t j = 0; j < k; ++j) {
    scale[j] = std::sqrt(dot(columns[j], columns[j]));
    if (!(scale[j] > 0) || !std::isfinite(scale[j])) return std::nullopt;
    for (double& x : columns[j]) x /= scale[j];
  }
  std::vector<std::vector<double>> r(k, std::vector<double>(k, 0));
  std::vector<double> c(k);
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      r[i][j] = dot(columns[i], columns[j]);
      subtract(columns[j], r[i][j], columns[i]);
    }
    r[j][j] = std::sqrt(dot(columns[j], columns[j]));
    if (r[j][j] < 1e-10) return std::nullopt;
    for (double& x : columns[j]) x /= r[j][j];
    c[j] = dot(columns[j], y);
    subtract(y, c[j], columns[j]);
  }
  for (std::size_t j = k; j-- > 0;) {
    for (std::size_t i = j + 1; i < k; ++i) c[j] -= r[j][i] * c[i];
    c[j] /= r[j][j];
  }
  for (std::size_t j = 0; j < k; ++j) c[j] /= scale[j];
  return c;
}

std::vector<double> solve_non_negative(const std::vector<std::vector<double>>& columns,
                                       const std::vector<double>& y) {
  const std::size_t k = columns.size();
  std::vector<double> best(k, 0);
  double best_rss = dot(y, y);
  for (unsigned subset = 1; subset < (1u << k); ++subset) {
    std::vector<std::vector<double>> chosen;
    for (std::size_t j = 0; j < k; ++j)
      if (subset >> j & 1u) chosen.push_back(columns[j]);
    const auto solved = solve_least_squares(chosen, y);
    if (!solved) continue;
    std::vector<double> c(k, 0);
    std::vector<double> rest = y;
    bool admissible = true;
    for (std::size_t j = 0, at = 0; j < k; ++j) {
      if (!(subset >> j & 1u)) continue;
      c[j] = (*solved)[at++];
      admissible = admissible && c[j] >= 0;
      subtract(rest, c[j], columns[j]);
    }
    const double rss = dot(rest, rest);
    // A larger set of columns must be better by more than rounding.
    if (admissible && rss < best_rss * (1 - 1e-12)) {
      best = c;
      best_rss = rss;
    }
  }
  return best;
}

}  // namespace apmt
