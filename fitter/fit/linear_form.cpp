#include "fitter/fit/linear_form.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace apmt {
namespace {

using Columns = std::vector<const std::vector<double>*>;

constexpr double kFree = std::numeric_limits<double>::quiet_NaN();

double largest(const std::vector<double>& numbers) {
  double most = 0;
  for (const double x : numbers) most = std::max(most, std::abs(x));
  return most;
}

/// The deviations of all values. Each column is divided by its scale, and the values by theirs,
/// because counts and times differ by many orders of magnitude.
class Deviations : public ceres::CostFunction {
 public:
  Deviations(const Columns& columns, const std::vector<double>& scales,
             const std::vector<double>& values, double scale)
      : columns_(columns), scales_(scales), values_(values), scale_(scale) {
    set_num_residuals(static_cast<int>(values.size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(columns.size()));
  }

  bool Evaluate(double const* const* c, double* residuals, double** jacobians) const override {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      residuals[i] = -values_[i] / scale_;
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        const double x = (*columns_[j])[i] / scales_[j];
        residuals[i] += c[0][j] * x;
        if (jacobians != nullptr && jacobians[0] != nullptr)
          jacobians[0][i * columns_.size() + j] = x;
      }
    }
    return true;
  }

 private:
  const Columns& columns_;
  const std::vector<double>& scales_;
  const std::vector<double>& values_;
  double scale_;
};

/// The best coefficients without bounds.
std::vector<double> fit(const Columns& columns, const std::vector<double>& values) {
  std::vector<double> c(columns.size(), 0);
  const double scale = largest(values);
  if (columns.empty() || !(scale > 0)) return c;
  std::vector<double> scales;
  for (const std::vector<double>* column : columns) {
    const double most = largest(*column);
    scales.push_back(most > 0 ? most : 1);
  }
  ceres::Problem problem;
  problem.AddResidualBlock(new Deviations(columns, scales, values, scale), nullptr, c.data());
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

/// Tries all ways of leaving coefficients free or setting them to one of their bounds, which is
/// exact, and quick for so few. (With bounds of its own, Ceres may stop far from the minimum of a
/// linear problem.)
class BoundedFit {
 public:
  explicit BoundedFit(const LinearForm& form) : form_(form), c_(form.columns.size(), 0) {
    best_ = c_;
    decide(0);
  }
  std::vector<double> best() { return std::move(best_); }

 private:
  void decide(std::size_t column) {
    if (column == form_.columns.size()) return try_this();
    for (const double at : {kFree, form_.columns[column].least, form_.columns[column].most}) {
      if (std::isinf(at)) continue;
      c_[column] = at;
      decide(column + 1);
    }
  }

  void try_this() {
    std::vector<double> c = c_;
    std::vector<double> rest = form_.values;
    Columns free;
    for (std::size_t j = 0; j < c.size(); ++j) {
      if (std::isnan(c[j])) free.push_back(&form_.columns[j].numbers);
      for (std::size_t i = 0; i < rest.size() && !std::isnan(c[j]); ++i)
        rest[i] -= c[j] * form_.columns[j].numbers[i];
    }
    const std::vector<double> found = fit(free, rest);
    for (std::size_t j = 0, next = 0; j < c.size(); ++j) {
      if (!std::isnan(c[j])) continue;
      c[j] = found[next++];
      if (c[j] < form_.columns[j].least || c[j] > form_.columns[j].most) return;
    }
    double squares = 0;
    for (std::size_t i = 0; i < form_.values.size(); ++i) {
      double deviation = -form_.values[i];
      for (std::size_t j = 0; j < c.size(); ++j) deviation += c[j] * form_.columns[j].numbers[i];
      squares += deviation * deviation;
    }
    if (squares >= least_) return;
    least_ = squares;
    best_ = std::move(c);
  }

  const LinearForm& form_;
  std::vector<double> c_;
  std::vector<double> best_;
  double least_ = INFINITY;
};

}  // namespace

std::vector<double> fit_form(const LinearForm& form) { return BoundedFit(form).best(); }

}  // namespace apmt
