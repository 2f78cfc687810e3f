#include "fitter/numeric/small_least_squares.h"

#include <cmath>
#include <numeric>

namespace apmt {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= factor * b[i];
}

}  // namespace

bool solve_in_place(std::vector<std::vector<double>>& columns, std::vector<double>& y,
                    std::vector<double>* solution) {
  const std::size_t k = columns.size();
  if (k == 0 || y.size() < k) return false;
  std::vector<double> scale;
  for (std::vector<double>& column : columns) {
    scale.push_back(std::sqrt(dot(column, column)));
    if (!(scale.back() > 0) || !std::isfinite(scale.back())) return false;
    for (double& x : column) x /= scale.back();
  }
  std::vector<double> r(k * k, 0);  // by row
  std::vector<double>& c = *solution;
  c.assign(k, 0);
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      r[i * k + j] = dot(columns[i], columns[j]);
      subtract(columns[j], r[i * k + j], columns[i]);
    }
    const double norm = std::sqrt(dot(columns[j], columns[j]));
    if (norm < 1e-10) return false;
    r[j * k + j] = norm;
    for (double& x : columns[j]) x /= norm;
    c[j] = dot(columns[j], y);
    subtract(y, c[j], columns[j]);
  }
  for (std::size_t j = k; j-- > 0;) {
    for (std::size_t i = j + 1; i < k; ++i) c[j] -= r[j * k + i] * c[i];
    c[j] /= r[j * k + j];
  }
  for (std::size_t j = 0; j < k; ++j) c[j] /= scale[j];
  return true;
}

std::optional<std::vector<double>> solve_least_squares(std::vector<std::vector<double>> columns,
                                                       std::vector<double> y) {
  std::vector<double> c;
  return solve_in_place(columns, y, &c) ? std::optional(c) : std::nullopt;
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
