#include "fitter/fit/linear_form.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

double largest(const std::vector<double>& numbers) {
  double most = 0;
  for (const double x : numbers) most = std::max(most, std::abs(x));
  return most;
}

/// The deviations of all values. Columns and values are divided by their largest numbers, because
/// counts and times differ by many orders of magnitude.
class Deviations : public ceres::CostFunction {
 public:
  Deviations(const LinearForm& form, const std::vector<double>& scales, double scale)
      : form_(form), scales_(scales), scale_(scale) {
    set_num_residuals(static_cast<int>(form.values.size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(form.columns.size()));
  }

  bool Evaluate(double const* const* c, double* residuals, double** jacobians) const override {
    const std::size_t columns = form_.columns.size();
    for (std::size_t i = 0; i < form_.values.size(); ++i) {
      residuals[i] = -form_.values[i] / scale_;
      for (std::size_t j = 0; j < columns; ++j) {
        const double x = form_.columns[j].numbers[i] / scales_[j];
        residuals[i] += c[0][j] * x;
        if (jacobians != nullptr && jacobians[0] != nullptr) jacobians[0][i * columns + j] = x;
      }
    }
    return true;
  }

 private:
  const LinearForm& form_;
  const std::vector<double>& scales_;
  double scale_;
};

}  // namespace

std::vector<double> fit_form(const LinearForm& form) {
  const std::size_t columns = form.columns.size();
  const double scale = largest(form.values);
  std::vector<double> c(columns, 0);
  if (columns == 0 || !(scale > 0)) return c;
  std::vector<double> scales;
  for (const LinearForm::Column& column : form.columns) {
    const double most = largest(column.numbers);
    scales.push_back(most > 0 ? most : 1);
  }
  ceres::Problem problem;
  problem.AddResidualBlock(new Deviations(form, scales, scale), nullptr, c.data());
  for (std::size_t j = 0; j < columns; ++j) {
    const LinearForm::Column& column = form.columns[j];
    const int at = static_cast<int>(j);
    const double unit = scales[j] / scale;  // of the coefficients that Ceres sees
    if (std::isfinite(column.least))
      problem.SetParameterLowerBound(c.data(), at, column.least * unit);
    if (std::isfinite(column.most))
      problem.SetParameterUpperBound(c.data(), at, column.most * unit);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.initial_trust_region_radius = 1e12;  // a linear problem: the first step is nearly exact
  options.max_num_iterations = 200;
  options.function_tolerance = options.gradient_tolerance = options.parameter_tolerance = 1e-15;
  options.num_threads = 1;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  for (std::size_t j = 0; j < columns; ++j) c[j] *= scale / scales[j];
  return c;
}

}  // namespace apmt
