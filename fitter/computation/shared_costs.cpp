#include "fitter/computation/shared_costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/square.h"
#include "fitter/times/draw_places.h"

namespace apmt {
namespace {

constexpr std::size_t kValues = 41;  // of each factor
constexpr double kRange = 4;         // standard deviations of the prior
constexpr int kFactorZooms = 3;
constexpr double kFactorTail = 1e-7;
constexpr double kLeastEvidence = 1e-300;  // before logarithms are taken
constexpr std::size_t kTransferStep = 27;  // odd, so that each way has its own transfer quantile

/// The weight of a node given a factor.
double weight(const CostNode& n, double ln_factor) {
  return n.weight * memory_prior(n.form, n.ln_memory - ln_factor, own_deviation());
}

/// The evidence of a kernel at each value of a factor, from the nodes to which the factor applies.
std::vector<double> evidence(const KernelCosts& kernel, bool of_latency,
                             const std::vector<double>& values) {
  std::vector<double> sums(values.size(), 0);
  for (const CostNode& n : kernel.nodes) {
    if ((n.form == MemoryForm::kWaits) != of_latency) continue;
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += weight(n, values[i]);
  }
  return sums;
}

/// The index at which the cumulative sum of the weights passes `u` times their sum.
std::size_t at_quantile(const std::vector<double>& weights, double u) {
  const double target = u * std::accumulate(weights.begin(), weights.end(), 0.0);
  double passed = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if ((passed += weights[i]) >= target) return i;
  return weights.size() - 1;
}

}  // namespace

SharedCosts::SharedCosts(const std::vector<const KernelCosts*>& kernels, const FactorPriors& priors)
    : latency_(axis(-kRange * priors.latency_sd, kRange * priors.latency_sd)),
      transfer_(axis(-kRange * priors.transfer_sd, kRange * priors.transfer_sd)) {
  weigh(kernels, priors);
  for (int zoom = 1; zoom < kFactorZooms; ++zoom) {
    latency_ = zoomed(latency_);
    transfer_ = zoomed(transfer_);
    weigh(kernels, priors);
  }
}

SharedCosts::Axis SharedCosts::axis(double low, double high) {
  Axis axis;
  for (std::size_t i = 0; i < kValues; ++i)
    axis.values.push_back(low + (high - low) * static_cast<double>(i) / (kValues - 1));
  return axis;
}

SharedCosts::Axis SharedCosts::zoomed(const Axis& wide) {
  const std::size_t first = at_quantile(wide.weights, kFactorTail);
  const std::size_t last = at_quantile(wide.weights, 1 - kFactorTail);
  return axis(wide.values[first > 0 ? first - 1 : 0], wide.values[std::min(last + 1, kValues - 1)]);
}

void SharedCosts::weigh(const std::vector<const KernelCosts*>& kernels,
                        const FactorPriors& priors) {
  const std::vector<double>& latencies = latency_.values;
  const std::vector<double>& transfers = transfer_.values;
  std::vector<double> ln;
  for (const double l : latencies)
    for (const double t : transfers)
      ln.push_back(-0.5 * (square(l / priors.latency_sd) + square(t / priors.transfer_sd)));
  for (const KernelCosts* kernel : kernels) {
    const std::vector<double> waiting = evidence(*kernel, true, latencies);
    const std::vector<double> transferring = evidence(*kernel, false, transfers);
    for (std::size_t i = 0; i < kValues; ++i)
      for (std::size_t j = 0; j < kValues; ++j)
        ln[i * kValues + j] += std::log(std::max(waiting[i] + transferring[j], kLeastEvidence));
  }
  const double highest = *std::ranges::max_element(ln);
  weights_.clear();
  latency_.weights.assign(kValues, 0);
  transfer_.weights.assign(kValues, 0);
  for (std::size_t i = 0; i < ln.size(); ++i) {
    weights_.push_back(std::exp(ln[i] - highest));
    latency_.weights[i / kValues] += weights_[i];
    transfer_.weights[i % kValues] += weights_[i];
  }
}

double SharedCosts::mean(const Axis& axis) {
  double sum = 0, mean = 0;
  for (std::size_t i = 0; i < kValues; ++i) {
    sum += axis.weights[i];
    mean += axis.weights[i] * axis.values[i];
  }
  return mean / sum;
}

std::vector<MemorySplit::Costs> SharedCosts::ways(const KernelCosts& kernel,
                                                  const std::vector<double>& shares,
                                                  std::uint32_t seed) const {
  const std::vector<CostNode>& nodes = kernel.nodes;
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return shares[a] < shares[b]; });
  const std::array<std::uint16_t, kWays> own = order_of_ways(seed);
  std::vector<MemorySplit::Costs> ways;
  std::vector<double> weights(nodes.size());
  for (std::size_t way = 0; way < kWays; ++way) {
    const auto middle = [](std::size_t i) { return (static_cast<double>(i) + 0.5) / kWays; };
    const std::size_t l = at_quantile(latency_.weights, middle(way));
    const auto row = weights_.begin() + static_cast<std::ptrdiff_t>(l * kValues);
    const std::size_t t = at_quantile({row, row + kValues}, middle(way * kTransferStep % kWays));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const CostNode& n = nodes[order[i]];
      weights[i] =
          weight(n, n.form == MemoryForm::kWaits ? latency_.values[l] : transfer_.values[t]);
    }
    ways.push_back(nodes[order[at_quantile(weights, middle(own[way]))]].costs());
  }
  return ways;
}

SharedCosts::LikeliestForm SharedCosts::likeliest_form(const KernelCosts& kernel) const {
  struct Sums {
    double weight = 0;
    double scatter = 0;
    double highest = -1;
    const CostNode* heaviest = nullptr;
  };
  std::array<Sums, kMemoryForms.size()> forms;
  const double latency = ln_latency(), transfer = ln_transfer();
  double all = 0;
  for (const CostNode& n : kernel.nodes) {
    // Every node gets at least the weight kLeastEvidence. So there is a likeliest form even if all
    // weights vanish at these values of the shared factors.
    const double w =
        std::max(weight(n, n.form == MemoryForm::kWaits ? latency : transfer), kLeastEvidence);
    Sums& form = forms[static_cast<std::size_t>(n.form)];
    all += w;
    form.weight += w;
    form.scatter += w * n.scatter;
    if (w <= form.highest) continue;
    form.highest = w;
    form.heaviest = &n;
  }
  const auto best = std::ranges::max_element(forms, {}, &Sums::weight);
  return {best->heaviest->form, best->weight / all, *best->heaviest, best->scatter / best->weight};
}

}  // namespace apmt
