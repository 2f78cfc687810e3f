#include "fitter/numeric/small_least_squares.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace apmt {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= factor * b[i];
}

}  // namespace

void LeastSquares::begin(std::size_t equations) {
  count_ = 0;
  y_.assign(equations, 0);
}

std::vector<double>& LeastSquares::add_column() {
  if (count_ == columns_.size()) columns_.emplace_back();
  std::vector<double>& column = columns_[count_++];
  column.assign(y_.size(), 0);
  return column;
}

bool LeastSquares::solve() {
  const std::size_t k = count_;
  if (k == 0 || y_.size() < k) return false;
  scale_.resize(k);
  for (std::size_t j = 0; j < k; ++j) {
    scale_[j] = std::sqrt(dot(columns_[j], columns_[j]));
    if (!(scale_[j] > 0) || !std::isfinite(scale_[j])) return false;
    for (double& x : columns_[j]) x /= scale_[j];
  }
  r_.assign(k * k, 0);
  c_.assign(k, 0);
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      r_[i * k + j] = dot(columns_[i], columns_[j]);
      subtract(columns_[j], r_[i * k + j], columns_[i]);
    }
    const double norm = std::sqrt(dot(columns_[j], columns_[j]));
    if (norm < 1e-10) return false;
    r_[j * k + j] = norm;
    for (double& x : columns_[j]) x /= norm;
    c_[j] = dot(columns_[j], y_);
    subtract(y_, c_[j], columns_[j]);
  }
  for (std::size_t j = k; j-- > 0;) {
    for (std::size_t i = j + 1; i < k; ++i) c_[j] -= r_[j * k + i] * c_[i];
    c_[j] /= r_[j * k + j];
  }
  for (std::size_t j = 0; j < k; ++j) c_[j] /= scale_[j];
  return true;
}

std::optional<std::vector<double>> solve_least_squares(std::vector<std::vector<double>> columns,
                                                       std::vector<double> y) {
  LeastSquares problem;
  problem.begin(y.size());
  for (std::vector<double>& column : columns) problem.add_column() = std::move(column);
  problem.y() = std::move(y);
  return problem.solve() ? std::optional(problem.c()) : std::nullopt;
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
