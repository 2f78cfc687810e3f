#include "fitter/fit/linear_form.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace apmt {
namespace {

using Numbers = std::vector<double>;

constexpr double kFree = std::numeric_limits<double>::quiet_NaN();

/// Divides by the largest number, unless all are zero, and returns the divisor.
double scale_down(Numbers* numbers) {
  double most = 0;
  for (const double x : *numbers) most = std::max(most, std::abs(x));
  const double scale = most > 0 ? most : 1;
  for (double& x : *numbers) x /= scale;
  return scale;
}

class Deviations : public ceres::CostFunction {
 public:
  Deviations(const std::vector<Numbers>& columns, const Numbers& values)
      : columns_(columns), values_(values) {
    set_num_residuals(static_cast<int>(values.size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(columns.size()));
  }

  bool Evaluate(double const* const* c, double* residuals, double** jacobians) const override {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      residuals[i] = -values_[i];
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        residuals[i] += c[0][j] * columns_[j][i];
        if (jacobians != nullptr && jacobians[0] != nullptr)
          jacobians[0][i * columns_.size() + j] = columns_[j][i];
      }
    }
    return true;
  }

 private:
  const std::vector<Numbers>& columns_;
  const Numbers& values_;
};

/// The best coefficients without bounds. Columns and values are scaled, because counts and times
/// differ by many orders of magnitude.
Numbers fit(std::vector<Numbers> columns, Numbers values) {
  Numbers c(columns.size(), 0);
  if (columns.empty() || std::all_of(values.begin(), values.end(), [](double x) { return x == 0; }))
    return c;
  const double scale = scale_down(&values);
  Numbers scales;
  for (Numbers& column : columns) scales.push_back(scale_down(&column));
  ceres::Problem problem;
  problem.AddResidualBlock(new Deviations(columns, values), nullptr, c.data());
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.initial_trust_region_radius = 1e12;  // a linear problem: the first step is nearly exact
  options.function_tolerance = options.gradient_tolerance = options.parameter_tolerance = 1e-15;
  options.num_threads = 1;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  for (std::size_t j = 0; j < c.size(); ++j) c[j] *= scale / scales[j];
  return c;
}

}  // namespace

std::vector<double> fit_form(const LinearForm& form) {
  // Tries all ways of leaving coefficients free or setting them to one of their bounds, which is
  // exact, and quick for so few. (With bounds of its own, Ceres may stop far from the minimum of a
  // linear problem.)
  const std::size_t n = form.columns.size();
  Numbers best(n, 0);
  double least = INFINITY;
  const auto try_with = [&](Numbers c) {
    Numbers rest = form.values;
    std::vector<Numbers> free;
    for (std::size_t j = 0; j < n; ++j) {
      if (std::isnan(c[j])) free.push_back(form.columns[j].numbers);
      for (std::size_t i = 0; i < rest.size() && !std::isnan(c[j]); ++i)
        rest[i] -= c[j] * form.columns[j].numbers[i];
    }
    const Numbers found = fit(std::move(free), std::move(rest));
    for (std::size_t j = 0, next = 0; j < n; ++j) {
      if (!std::isnan(c[j])) continue;
      c[j] = found[next++];
      if (c[j] < form.columns[j].least || c[j] > form.columns[j].most) return;
    }
    double squares = 0;
    for (std::size_t i = 0; i < form.values.size(); ++i) {
      double deviation = -form.values[i];
      for (std::size_t j = 0; j < n; ++j) deviation += c[j] * form.columns[j].numbers[i];
      squares += deviation * deviation;
    }
    if (squares >= least) return;
    least = squares;
    best = std::move(c);
  };
  Numbers c(n, 0);
  const std::function<void(std::size_t)> decide = [&](std::size_t column) {
    if (column == n) return try_with(c);
    for (const double at : {kFree, form.columns[column].least, form.columns[column].most}) {
      if (std::isinf(at)) continue;
      c[column] = at;
      decide(column + 1);
    }
  };
  decide(0);
  return best;
}

}  // namespace apmt
