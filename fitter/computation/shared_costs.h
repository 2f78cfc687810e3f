// Two factors that the kernels of a program share: the memory's real latency divided by that of the
// machine profile, and its real seconds per byte divided by those of the profile. The posterior of
// the factors is a grid; given the factors, the costs of each kernel are independent of the other
// kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "fitter/computation/kernel_costs.h"

namespace apmt {

class SharedCosts {
 public:
  SharedCosts(const std::vector<const KernelCosts*>& kernels, const FactorPriors& priors);

  /// The posterior mean of the logarithm of a factor.
  double ln_latency() const { return mean(latency_); }
  double ln_transfer() const { return mean(transfer_); }

  /// Equally likely sets of costs of a kernel (ways). Ways with the same index have the same shared
  /// factors in all kernels. `shares[i]` is memory's share of the time with the kernel's node i.
  /// The nodes are sorted by it, and each way gets another quantile of their weights. `seed`
  /// determines which way gets which quantile, so that kernels with different seeds are independent
  /// given the factors.
  std::vector<MemorySplit::Costs> ways(const KernelCosts& kernel, const std::vector<double>& shares,
                                       std::uint32_t seed) const;

  /// The likeliest form of a kernel, and the form's probability.
  struct LikeliestForm {
    MemoryForm form = MemoryForm::kWaits;
    double probability = 0;
    CostNode heaviest;   // node of the form with the largest weight, given the mean factors
    double scatter = 0;  // posterior mean of the form's scatter
  };
  LikeliestForm likeliest_form(const KernelCosts& kernel) const;

 private:
  /// Values of one factor's logarithm, with their posterior weights.
  struct Axis {
    std::vector<double> values;
    std::vector<double> weights;
  };
  static Axis axis(double low, double high);
  /// The same axis, restricted to the range that holds nearly all of the weight.
  static Axis zoomed(const Axis& axis);
  void weigh(const std::vector<const KernelCosts*>& kernels, const FactorPriors& priors);
  static double mean(const Axis& axis);

  Axis latency_;
  Axis transfer_;
  std::vector<double> weights_;  // of the pairs of values; the transfer changes fastest
};

}  // namespace apmt
