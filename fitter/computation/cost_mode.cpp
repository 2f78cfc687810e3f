#include "fitter/computation/cost_mode.h"

#include <ceres/ceres.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/square.h"
#include "fitter/times/law_frame.h"
#include "fitter/times/recipe_priors.h"

namespace apmt {
namespace {

/// ln(blocking factor) = kLnMostOverlap / (1 + e^z), so it stays within its bounds. If z had a
/// logistic distribution, the logarithm would be uniform. The prior of z is a normal distribution
/// with this standard deviation, which is close to the logistic one.
constexpr double kLogistic = 1.7;
constexpr double kSharpMax = 20;  // exponent of the smooth maximum of core and bandwidth
constexpr double kLeastSigma = 1e-4;

/// (x - mean) / sd for one number of a block.
template <int Size>
struct Prior {
  int index;
  NormalPrior prior;
  template <typename T>
  bool operator()(const T* block, T* residual) const {
    residual[0] = (block[index] - prior.mean) / prior.sd;
    return true;
  }
};

/// ln of s = (e^(a p) + e^(b p))^(1/p). For p = 1, s is e^a + e^b; for large p, s is about the
/// larger of e^a and e^b.
template <typename T>
T ln_power_sum(const T& a, const T& b, double p) {
  using std::exp;
  using std::log;
  const T d = p * (a - b);
  return d > T(0) ? a + log(T(1) + exp(-d)) / p : b + log(T(1) + exp(d)) / p;
}

/// The deviation of ln time from the value that the kernel's MemoryForm gives. The parameter block
/// `kernel` holds ln_core_s and z (see kLogistic) or, for kStreams, ln_core_s and ln of memory's
/// cost relative to the shared factor.
struct TimeOfKernel {
  MemoryForm form;
  double ln_time;
  double sigma;
  double ln_core;  // ln of the counts
  double ln_memory;
  template <typename T>
  bool operator()(const T* factor, const T* kernel, const T* offset, T* residual) const {
    using std::exp;
    const bool streams = form == MemoryForm::kStreams;
    const T own = streams ? kernel[1] : T(kLnMostOverlap) / (T(1) + exp(kernel[1]));
    const T ln = ln_power_sum(T(kernel[0] + ln_core), T(own + factor[0] + ln_memory),
                              streams ? kSharpMax : 1);
    residual[0] = (T(ln_time) - ln - offset[0]) / sigma;
    return true;
  }
};

/// The deviation of ln time from ln of the sum of costs * counts. The parameter block `costs` holds
/// the logarithms of the costs.
template <int Costs>
struct TimeOfCounts {
  double ln_time;
  double sigma;
  std::array<double, Costs> counts;
  template <typename T>
  bool operator()(const T* costs, T* residual) const {
    using std::exp;
    using std::log;
    T sum = T(0);
    for (int i = 0; i < Costs; ++i) sum += exp(costs[i]) * counts[static_cast<std::size_t>(i)];
    residual[0] = (T(ln_time) - log(sum)) / sigma;
    return true;
  }
};

/// A prior: the logit of the second count's share of the time at the reference point.
struct ShareOfCounts {
  double ln_ratio;  // of the counts there
  template <typename T>
  bool operator()(const T* costs, T* residual) const {
    const NormalPrior& logit = common_priors().logit_count;
    residual[0] = (costs[1] - costs[0] + ln_ratio - logit.mean) / logit.sd;
    return true;
  }
};

/// A least-squares problem over costs, with the covariance at its solution.
class CostProblem {
 public:
  /// `most_numbers`: the problem has no more unknowns.
  explicit CostProblem(std::size_t most_numbers) : numbers_(most_numbers + 1), nothing_(block(1)) {}

  /// A parameter block of `size` numbers. Ceres orders parameter blocks by their addresses, and
  /// sums depend on this order. So all blocks are in one array, in the order in which they were
  /// made, and every thread computes the same result to the last digit.
  double* block(std::size_t size) {
    double* const begin = &numbers_.at(used_);
    used_ += size;
    return begin;
  }

  /// Adds an unknown deviation; its prior has mean 0 and standard deviation `sd`.
  double* add_deviation(double sd) {
    double* deviation = block(1);
    add<1>(Prior<1>{0, {0, sd}}, deviation);
    return deviation;
  }

  double* nothing() {
    problem_.AddParameterBlock(nothing_, 1);
    problem_.SetParameterBlockConstant(nothing_);
    return nothing_;
  }

  /// Adds a residual that depends on these parameter blocks.
  template <int... Sizes, typename Functor, typename... Blocks>
  void add(const Functor& functor, Blocks*... blocks) {
    problem_.AddResidualBlock(
        new ceres::AutoDiffCostFunction<Functor, 1, Sizes...>(new Functor(functor)), nullptr,
        blocks...);
  }

  /// Returns whether there is a solution. `blocks`: the parameter blocks for which sd() will be
  /// called.
  bool solve(const std::set<const double*>& blocks) {
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
    options.sparse_linear_algebra_library_type = ceres::EIGEN_SPARSE;
    options.max_num_iterations = 200;
    options.function_tolerance = 1e-10;
    options.num_threads = 1;
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem_, &summary);
    if (!summary.IsSolutionUsable()) return false;
    find_deviations(blocks);
    return true;
  }

  /// Standard deviation of number `index` of a block; absent if the data do not determine it.
  std::optional<double> sd(const double* block, std::size_t index) const {
    const auto found = deviations_.find(block + index);
    return found == deviations_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  /// Finds the standard deviations of the numbers in these blocks. Kernels are connected only by
  /// the two factors, so the factorisation of J^T J (J: the Jacobian matrix) has few entries.
  /// ceres::Covariance has no such factorisation: for a thousand kernels it takes seconds.
  void find_deviations(const std::set<const double*>& blocks) {
    ceres::Problem::EvaluateOptions of;
    of.num_threads = 1;
    problem_.GetParameterBlocks(&of.parameter_blocks);
    std::erase_if(of.parameter_blocks,
                  [&](const double* b) { return problem_.IsParameterBlockConstant(b); });
    ceres::CRSMatrix rows;
    if (!problem_.Evaluate(of, nullptr, nullptr, nullptr, &rows)) return;
    using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    const Matrix jacobian = Eigen::Map<const Matrix>(
        rows.num_rows, rows.num_cols, static_cast<Eigen::Index>(rows.values.size()),
        rows.rows.data(), rows.cols.data(), rows.values.data());
    const Eigen::SparseMatrix<double> normal = jacobian.transpose() * jacobian;
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(normal);
    if (factors.info() != Eigen::Success) return;
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(rows.num_cols);
    Eigen::Index column = 0;
    for (const double* block : of.parameter_blocks)
      for (int i = 0; i < problem_.ParameterBlockSize(block); ++i, ++column) {
        if (!blocks.contains(block)) continue;
        unit[column] = 1;
        const double variance = factors.solve(unit)[column];
        unit[column] = 0;
        if (variance > 0 && std::isfinite(variance)) deviations_[block + i] = std::sqrt(variance);
      }
  }

  ceres::Problem problem_;
  std::vector<double> numbers_;  // of all blocks; never grows, because Ceres has its addresses
  std::size_t used_ = 0;
  double* const nothing_;
  std::map<const double*, double> deviations_;
};

/// `factor`: the parameter block of the factor that applies to the kernel.
void add_kernel(const KernelForMode& kernel, const SharedCosts::LikeliestForm& likeliest,
                double* factor, double* costs, CostProblem* problem) {
  const bool streams = likeliest.form == MemoryForm::kStreams;
  const double start = likeliest.heaviest.ln_memory - *factor;
  const double inside = std::clamp(start / kLnMostOverlap, 0.02, 0.98);
  costs[0] = likeliest.heaviest.ln_core_s;
  costs[1] = streams ? start : std::log(1 / inside - 1);
  problem->add<2>(Prior<2>{0, kernel.costs.core}, costs);
  problem->add<2>(Prior<2>{1, {0, streams ? own_deviation() : kLogistic}}, costs);
  // Observations of one place share their deviation from the form.
  for (const MemoryPlace& place : kernel.evidence.places) {
    const bool is_alone = place.size() == 1;
    double* const deviation =
        is_alone ? problem->nothing() : problem->add_deviation(likeliest.scatter);
    for (const MemoryObservation& o : place) {
      const double sigma = std::sqrt(o.variance + (is_alone ? square(likeliest.scatter) : 0));
      problem->add<1, 2, 1>(TimeOfKernel{likeliest.form, o.ln_time, std::max(sigma, kLeastSigma),
                                         std::log(o.core), std::log(memory_of(o, likeliest.form))},
                            factor, costs, deviation);
    }
  }
}

KernelCostEstimates estimates(const SharedCosts::LikeliestForm& likeliest, const double* costs,
                              const CostProblem& problem) {
  const bool streams = likeliest.form == MemoryForm::kStreams;
  const double e = std::exp(costs[1]);
  const double ln_memory = streams ? costs[1] : kLnMostOverlap / (1 + e);
  const double slope = streams ? 1 : -kLnMostOverlap * e / square(1 + e);  // d ln_memory / dz
  KernelCostEstimates result{.form = likeliest.form,
                             .form_probability = likeliest.probability,
                             .core_s = {std::exp(costs[0]), problem.sd(costs, 0)},
                             .memory = {std::exp(ln_memory), problem.sd(costs, 1)}};
  if (result.memory.ln_sd) *result.memory.ln_sd *= slope;
  return result;
}

/// Fits the costs of the family, which has so many. `misfit`: factor on the standard deviations of
/// the times. Returns how far the times deviate from the sums of costs * counts, relative to the
/// noise; 1 if there are no more times than costs.
template <int Costs>
double fit_family(const TimeLaw& law, double misfit, CountFamily* family) {
  std::vector<Feature>& features = family->features;
  CostProblem problem(Costs);
  double* const costs = problem.block(Costs);  // logarithms
  const auto counts_at = [&](std::size_t point) {
    const FitPoint& p = law.points[point];
    std::array<double, Costs> counts;
    for (std::size_t i = 0; i < Costs; ++i)
      counts[i] = features[i].at_point(point, p.procs, p.work);
    return counts;
  };
  const FitPoint& reference = largest_point(law.points);
  const std::array<double, Costs> there =
      counts_at(static_cast<std::size_t>(&reference - law.points.data()));
  for (std::size_t i = 0; i < Costs; ++i)
    costs[i] = std::log(std::max(features[i].cost, 1e-3 * reference.value / there[i]));
  const double noise = std::exp(noise_prior(law.points, recipe_priors(law.prior, false)).mean);
  const std::vector<double> sigmas = extra_sigmas(law.points);
  std::vector<TimeOfCounts<Costs>> times;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    times.push_back(
        {std::log(law.points[i].value), misfit * std::hypot(noise, sigmas[i]), counts_at(i)});
    problem.add<Costs>(times.back(), costs);
  }
  if constexpr (Costs == 2) problem.add<Costs>(ShareOfCounts{std::log(there[1] / there[0])}, costs);
  for (std::size_t i = 0; i < Costs; ++i)
    if (const auto& expected = features[i].expected)
      problem.add<Costs>(
          Prior<Costs>{static_cast<int>(i), {std::log(expected->cost), expected->ln_sd}}, costs);
  if (problem.solve({costs}))
    for (std::size_t i = 0; i < Costs; ++i) {
      features[i].cost = std::exp(costs[i]);
      features[i].cost_ln_sd = problem.sd(costs, i);
    }
  if (times.size() <= Costs) return 1;
  double chi2 = 0;
  for (const TimeOfCounts<Costs>& time : times) {
    double miss = 0;
    time(costs, &miss);
    chi2 += square(miss);
  }
  return chi2 / static_cast<double>(times.size() - Costs);
}

/// If the times deviate from the sums of costs * counts by more than the assumed noise, the noise
/// must be larger. The costs are then fitted again with the larger noise. Otherwise the times would
/// outweigh the priors.
template <int Costs>
void fit_family(const TimeLaw& law, CountFamily* family) {
  const double chi2 = fit_family<Costs>(law, 1, family);
  if (chi2 > 1) fit_family<Costs>(law, std::sqrt(chi2), family);
}

}  // namespace

std::optional<SharedCostEstimates> fit_memory_mode(const SharedCosts& shared,
                                                   const FactorPriors& priors,
                                                   const std::vector<KernelForMode>& kernels) {
  if (kernels.empty()) return std::nullopt;
  std::size_t most_numbers = 2;
  for (const KernelForMode& kernel : kernels) most_numbers += 2 + kernel.evidence.places.size();
  CostProblem problem(most_numbers);
  double* const factors = problem.block(2);  // logarithms: latency, seconds per byte
  factors[0] = shared.ln_latency();
  factors[1] = shared.ln_transfer();
  problem.add<1>(Prior<1>{0, {0, priors.latency_sd}}, &factors[0]);
  problem.add<1>(Prior<1>{0, {0, priors.transfer_sd}}, &factors[1]);
  std::set<const double*> blocks = {&factors[0], &factors[1]};
  std::vector<std::pair<SharedCosts::LikeliestForm, const double*>> forms;  // and costs, by kernel
  for (const KernelForMode& kernel : kernels) {
    const SharedCosts::LikeliestForm likeliest = shared.likeliest_form(kernel.costs);
    double* const costs = problem.block(2);
    add_kernel(kernel, likeliest, &factors[likeliest.form == MemoryForm::kWaits ? 0 : 1], costs,
               &problem);
    blocks.insert(costs);
    forms.emplace_back(likeliest, costs);
  }
  if (!problem.solve(blocks)) return std::nullopt;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    *kernels[i].result = estimates(forms[i].first, forms[i].second, problem);
  return SharedCostEstimates{{std::exp(factors[0]), problem.sd(&factors[0], 0)},
                             {std::exp(factors[1]), problem.sd(&factors[1], 0)}};
}

void fit_message_mode(TimeLaw* law) {
  if (law->kind != TimeLaw::Kind::kRecipe || law->families.empty()) return;
  CountFamily& likeliest = *std::ranges::max_element(law->families, {}, &CountFamily::posterior);
  if (likeliest.features.size() == 1) fit_family<1>(*law, &likeliest);
  if (likeliest.features.size() == 2) fit_family<2>(*law, &likeliest);
}

}  // namespace apmt
