#include "fitter/laws/exponential_fit.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

/// Residual of one point. `u` is P divided by the largest P, so that the three coefficients have
/// similar sizes.
struct Residual {
  double u;
  double value;
  double weight;
  template <typename T>
  bool operator()(const T* c, T* residual) const {
    using std::exp;
    residual[0] = (c[0] + c[1] * exp(c[2] * T(u)) - T(value)) * T(weight);
    return true;
  }
};

}  // namespace

std::optional<Hypothesis> fit_exponential(const std::vector<FitPoint>& points,
                                          const std::vector<double>& weight) {
  double max_procs = 0;
  double max_value = 0;
  for (const FitPoint& p : points) {
    max_procs = std::max(max_procs, p.procs);
    max_value = std::max(max_value, std::abs(p.value));
  }
  if (max_value == 0) return std::nullopt;
  std::optional<Hypothesis> best;
  double best_cost = INFINITY;
  for (const double start : {-2.0, 1.0}) {  // falling and rising: there are two minima
    double c[3] = {points.back().value, (points.front().value - points.back().value), start};
    ceres::Problem problem;
    for (std::size_t i = 0; i < points.size(); ++i)
      problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Residual, 1, 3>(new Residual{
                                   points[i].procs / max_procs, points[i].value, weight[i]}),
                               new ceres::HuberLoss(0.1), c);
    problem.SetParameterLowerBound(c, 2, -20);
    // A count that grows by a factor of more than e^4 over the measured range is too steep to
    // extrapolate.
    problem.SetParameterUpperBound(c, 2, 4);
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_QR;
    options.max_num_iterations = 100;
    options.num_threads = 1;
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    if (!summary.IsSolutionUsable() || summary.final_cost >= best_cost) continue;
    best_cost = summary.final_cost;
    Hypothesis law;
    law.free_numbers = 3;
    LawTerm constant;
    constant.coefficient = c[0];
    LawTerm exponential;
    exponential.coefficient = c[1];
    exponential.exp_rate = c[2] / max_procs;
    if (exponential.exp_rate == 0) continue;
    law.terms = {constant, exponential};
    best = law;
  }
  return best;
}

}  // namespace apmt
