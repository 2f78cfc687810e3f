#include "fitter/cost_mode.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "base/square.h"
#include "fitter/law_frame.h"
#include "fitter/spread.h"

namespace apmt {
namespace {

/// A blocking factor is kLnMostOverlap / (1 + e^z) in the logarithm, so it stays within its bounds.
/// A logistic z would make the logarithm uniform; a normal z with this deviation is close to it.
constexpr double kLogistic = 1.7;
constexpr double kSharpMax = 20;  // exponent of the smooth maximum of core and bandwidth
constexpr double kLeastSigma = 1e-4;
constexpr double kShareLogit = 2;  // sd of logit p (recipe.h): the second count's share of the time
constexpr double kCostDrift = 0.025;  // sd of d (recipe.h), with its probability of being zero

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

/// ln of (e^(a p) + e^(b p))^(1/p): the sum for p = 1, the larger one for large p.
template <typename T>
T ln_power_sum(const T& a, const T& b, double p) {
  using std::exp;
  using std::log;
  const T d = p * (a - b);
  return d > T(0) ? a + log(T(1) + exp(-d)) / p : b + log(T(1) + exp(d)) / p;
}

/// The deviation of ln time from a kernel's form. A kernel's block holds ln_core_s and z.
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

/// The deviation of ln time from costs times counts. The block holds the logarithms of the costs.
template <int Costs>
struct TimeOfCounts {
  double ln_time;
  double sigma;
  std::array<double, Costs> counts;
  double l_procs;
  template <typename T>
  bool operator()(const T* costs, const T* drift, T* residual) const {
    using std::exp;
    using std::log;
    T sum = T(0);
    for (int i = 0; i < Costs; ++i) sum += exp(costs[i]) * counts[static_cast<std::size_t>(i)];
    residual[0] = (T(ln_time) - log(sum) - drift[0] * l_procs) / sigma;
    return true;
  }
};

/// The logit of the second count's share at the reference point.
struct ShareOfCounts {
  double ln_ratio;  // of the counts there
  template <typename T>
  bool operator()(const T* costs, T* residual) const {
    residual[0] = (costs[1] - costs[0] + ln_ratio) / kShareLogit;
    return true;
  }
};

template <typename Functor, int... Sizes, typename... Blocks>
void add(ceres::Problem* problem, Functor functor, Blocks*... blocks) {
  problem->AddResidualBlock(
      new ceres::AutoDiffCostFunction<Functor, 1, Sizes...>(new Functor(std::move(functor))),
      nullptr, blocks...);
}

CountFamily* likeliest(TimeLaw* law) {
  if (law->kind != TimeLaw::Kind::kRecipe || law->families.empty()) return nullptr;
  return &*std::max_element(
      law->families.begin(), law->families.end(),
      [](const CountFamily& a, const CountFamily& b) { return a.posterior < b.posterior; });
}

class CostProblem {
 public:
  void add_memory(const MemoryForMode& memory) {
    if (memory.kernels.empty()) return;
    factors_ = {memory.ln_latency, memory.ln_transfer};
    add<Prior<1>, 1>(&problem_, {0, {0, memory.priors.latency_sd}}, &factors_[0]);
    add<Prior<1>, 1>(&problem_, {0, {0, memory.priors.transfer_sd}}, &factors_[1]);
    for (const MemoryForMode::Kernel& kernel : memory.kernels) add_kernel(kernel);
  }

  void add_law(TimeLaw* law) {
    CountFamily* family = likeliest(law);
    if (family == nullptr) return;
    if (family->features.size() == 1) add_counts<1>(*law, family);
    if (family->features.size() == 2) add_counts<2>(*law, family);
  }

  bool solve() {
    if (problem_.NumResidualBlocks() == 0) return false;
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
    find_covariance();
    return true;
  }

  void write(const MemoryForMode& memory) const {
    for (const auto& [law, family, costs] : laws_)
      for (std::size_t i = 0; i < family->features.size(); ++i) {
        family->features[i].cost = std::exp(costs[i]);
        family->features[i].cost_ln_sd = sd(costs.data(), family->features.size(), i);
      }
    if (memory.kernels.empty()) return;
    *memory.result = {{std::exp(factors_[0]), sd(&factors_[0], 1, 0)},
                      {std::exp(factors_[1]), sd(&factors_[1], 1, 0)}};
    for (std::size_t i = 0; i < memory.kernels.size(); ++i) {
      const MemoryForm form = memory.kernels[i].form.form;
      const std::array<double, 2>& costs = kernels_[i];
      KernelCostEstimates& result = *memory.kernels[i].result;
      result.form = form;
      result.form_probability = memory.kernels[i].form.probability;
      result.core_s = {std::exp(costs[0]), sd(costs.data(), 2, 0)};
      result.memory = {std::exp(own(form, costs[1])), sd(costs.data(), 2, 1)};
      if (form == MemoryForm::kStreams || !result.memory.ln_sd) continue;
      const double e = std::exp(costs[1]);  // d own / dz
      *result.memory.ln_sd *= -kLnMostOverlap * e / square(1 + e);
    }
  }

 private:
  struct Law {
    TimeLaw* law;
    CountFamily* family;
    std::array<double, 2> costs;  // logarithms
  };

  static double own(MemoryForm form, double z) {
    return form == MemoryForm::kStreams ? z : kLnMostOverlap / (1 + std::exp(z));
  }

  void add_kernel(const MemoryForMode::Kernel& kernel) {
    const MemoryForm form = kernel.form.form;
    double* factor = &factors_[form == MemoryForm::kWaits ? 0 : 1];
    const double start = kernel.form.heaviest.ln_memory - *factor;
    const double inside = std::clamp(start / kLnMostOverlap, 0.02, 0.98);
    std::array<double, 2>& block = kernels_.emplace_back(
        std::array<double, 2>{kernel.form.heaviest.ln_core_s,
                              form == MemoryForm::kStreams ? start : std::log(1 / inside - 1)});
    add<Prior<2>, 2>(&problem_, {0, kernel.core}, block.data());
    add<Prior<2>, 2>(&problem_, {1, {0, form == MemoryForm::kStreams ? kOwnDeviation : kLogistic}},
                     block.data());
    // Observations of one place share their deviation from the form.
    const std::vector<MemoryObservation>& all = kernel.evidence->observations;
    double* offset = nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_first = i == 0 || all[i].place != all[i - 1].place;
      const bool is_alone = is_first && (i + 1 == all.size() || all[i + 1].place != all[i].place);
      if (is_first) offset = add_offset(is_alone ? 0 : kernel.form.scatter);
      const double sigma =
          std::sqrt(all[i].variance + (is_alone ? square(kernel.form.scatter) : 0));
      add<TimeOfKernel, 1, 2, 1>(&problem_,
                                 {form, all[i].ln_time, std::max(sigma, kLeastSigma),
                                  std::log(all[i].core), std::log(memory_of(all[i], form))},
                                 factor, block.data(), offset);
    }
  }

  /// A deviation with this standard deviation; always zero if it is 0.
  double* add_offset(double sd) {
    double* offset = &offsets_.emplace_back(0);
    problem_.AddParameterBlock(offset, 1);
    if (sd > 0)
      add<Prior<1>, 1>(&problem_, {0, {0, sd}}, offset);
    else
      problem_.SetParameterBlockConstant(offset);
    return offset;
  }

  template <int Costs>
  void add_counts(TimeLaw& law, CountFamily* family) {
    const FitPoint& reference =
        *std::max_element(law.points.begin(), law.points.end(),
                          [](const FitPoint& a, const FitPoint& b) { return a.procs < b.procs; });
    const auto counts_at = [&](const FitPoint& p) {
      std::array<double, Costs> counts;
      for (std::size_t i = 0; i < Costs; ++i)
        counts[i] = family->features[i].per_rank(p.procs, p.work);
      return counts;
    };
    const std::array<double, Costs> there = counts_at(reference);
    Law& added = laws_.emplace_back(Law{&law, family, {}});
    double* const costs = added.costs.data();
    for (std::size_t i = 0; i < Costs; ++i)
      costs[i] =
          std::log(std::max(family->features[i].cost, 1e-3 * reference.value / (Costs * there[i])));
    double* const drift = add_offset(kCostDrift);
    const double noise = std::exp(noise_prior(law.points, recipe_priors(law.prior, false)).ln_mean);
    for (const FitPoint& p : law.points)
      add<TimeOfCounts<Costs>, Costs, 1>(
          &problem_,
          {std::log(p.value), std::hypot(noise, p.rel_sampling * median_factor(p.repetitions)),
           counts_at(p), std::log(p.procs / reference.procs)},
          costs, drift);
    if (Costs == 2)
      add<ShareOfCounts, Costs>(&problem_, {std::log(there[Costs - 1] / there[0])}, costs);
    if (const auto& expected = family->features.front().expected)
      add<Prior<Costs>, Costs>(&problem_, {0, {std::log(expected->cost), expected->ln_sd}}, costs);
  }

  void find_covariance() {
    ceres::Covariance::Options options;
    options.algorithm_type = ceres::SPARSE_QR;
    options.sparse_linear_algebra_library_type = ceres::EIGEN_SPARSE;
    options.num_threads = 1;
    covariance_ = std::make_unique<ceres::Covariance>(options);
    std::vector<std::pair<const double*, const double*>> blocks;
    if (!kernels_.empty())
      for (const double& factor : factors_) blocks.emplace_back(&factor, &factor);
    for (const auto& block : kernels_) blocks.emplace_back(block.data(), block.data());
    for (const Law& law : laws_) blocks.emplace_back(law.costs.data(), law.costs.data());
    if (!covariance_->Compute(blocks, &problem_)) covariance_.reset();
  }

  /// Standard deviation of number `index` of a block; absent if the data do not determine it.
  std::optional<double> sd(const double* block, std::size_t size, std::size_t index) const {
    std::array<double, 4> values{};
    if (!covariance_ || !covariance_->GetCovarianceBlock(block, block, values.data()))
      return std::nullopt;
    return std::sqrt(values[index * (size + 1)]);
  }

  std::array<double, 2> factors_{};  // logarithms: latency, seconds per byte
  std::deque<std::array<double, 2>> kernels_;
  std::deque<double> offsets_;
  std::deque<Law> laws_;
  ceres::Problem problem_;  // destroyed before what it points to
  std::unique_ptr<ceres::Covariance> covariance_;
};

}  // namespace

void fit_cost_mode(const MemoryForMode& memory, const std::vector<TimeLaw*>& laws) {
  CostProblem problem;
  problem.add_memory(memory);
  for (TimeLaw* law : laws) problem.add_law(law);
  if (problem.solve()) problem.write(memory);
}

}  // namespace apmt
