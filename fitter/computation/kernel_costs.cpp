#include "fitter/computation/kernel_costs.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <stdexcept>
#include <tuple>

#include "base/square.h"
#include "fitter/prior_data.h"

namespace apmt {
namespace {

/// Possible values for the scatter of the times about a form. The times scatter because costs vary
/// a little between problem sizes.
constexpr std::array<double, 7> kScatter = {3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3};
constexpr double kLeastVariance = 1e-12;  // exact times get finite weights

constexpr int kNodes = 121;  // of the grid of t in FormGrid
constexpr int kZooms = 4;
constexpr double kWidest = 7;  // largest t on the grid
constexpr double kTail = 1e-4;  // of the weight; no draw comes from there

/// configs/priors.yaml, `costs`.
struct CostPriors {
  NormalPrior ln_cycles_per_instruction;
  NormalPrior ln_cycles_per_flop;
  double frequency_ln_sd = 0;
  double latency_profiled_sd = 0, latency_assumed_sd = 0;
  double transfer_profiled_sd = 0, transfer_assumed_sd = 0;
  double outliers = 0, outlier_sd = 0;
  NormalPrior ln_scatter;
};

const CostPriors& cost_priors() {
  static const CostPriors priors = [] {
    const Json& costs = prior_data().at("costs");
    CostPriors p;
    p.ln_cycles_per_instruction = normal_prior(costs.at("cycles_per_instruction"));
    p.ln_cycles_per_flop = normal_prior(costs.at("cycles_per_flop"));
    p.frequency_ln_sd = costs.at("assumed_frequency_ln_sd");
    p.latency_profiled_sd = costs.at("latency_ln_sd").at("profiled");
    p.latency_assumed_sd = costs.at("latency_ln_sd").at("assumed");
    p.transfer_profiled_sd = costs.at("transfer_ln_sd").at("profiled");
    p.transfer_assumed_sd = costs.at("transfer_ln_sd").at("assumed");
    p.outliers = costs.at("outliers").at("share");
    p.outlier_sd = costs.at("outliers").at("ln_sd");
    p.ln_scatter = normal_prior(costs.at("scatter"));
    if (std::min(p.latency_profiled_sd, p.transfer_profiled_sd) < own_deviation())
      throw std::logic_error("configs/priors.yaml: own_ln_sd is a part of the other deviations");
    return p;
  }();
  return priors;
}

/// A normal distribution with outliers, without its constant factor: 1 at x = 0.
double edge(double x, double sd) {
  const CostPriors& p = cost_priors();
  return (1 - p.outliers) * std::exp(-0.5 * square(x / sd)) +
         p.outliers * std::exp(-0.5 * square(x / std::max(sd, p.outlier_sd)));
}

/// The density of a normal distribution with outliers.
double density(double x, double sd) {
  constexpr double kInverseRootTwoPi = 0.3989422804014327;
  const CostPriors& p = cost_priors();
  const double wide = std::max(sd, p.outlier_sd);
  return kInverseRootTwoPi * ((1 - p.outliers) * std::exp(-0.5 * square(x / sd)) / sd +
                              p.outliers * std::exp(-0.5 * square(x / wide)) / wide);
}

/// One value of the scatter, with what does not depend on the form.
struct ScatterNode {
  double scatter = 0;
  double ln_prior = 0;             // and the determinant of the errors' covariance
  std::vector<double> precisions;  // of the mean of each place
  double sum = 0;                  // of the precisions
};

std::vector<ScatterNode> scatter_nodes(const std::vector<double>& precisions_of_times) {
  std::vector<ScatterNode> nodes;
  for (const double scatter : kScatter) {
    ScatterNode node{.scatter = scatter, .precisions = {}};
    const NormalPrior& ln = cost_priors().ln_scatter;
    node.ln_prior = -0.5 * square((std::log(scatter) - ln.mean) / ln.sd);
    for (const double precision : precisions_of_times) {
      node.precisions.push_back(1 / (square(scatter) + 1 / precision));
      node.sum += node.precisions.back();
      node.ln_prior += 0.5 * std::log(node.precisions.back());
    }
    node.ln_prior -= 0.5 * std::log(node.sum);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// The grid of one MemoryForm. In each form, the time is a level times a shape. The shape has one
/// parameter, t = ln(memory / core) at the reference observation, where memory's share of the time
/// is largest.
struct FormGrid {
  MemoryForm form;
  const std::vector<MemoryPlace>& places;
  const std::vector<double>& precisions;  // of the places' times: sum of 1 / variance
  const std::vector<ScatterNode>& scatters;
  NormalPrior core;
  double sd;
  MemoryObservation reference =
      std::ranges::max(places | std::views::join, {},
                       [this](const MemoryObservation& o) { return relative_memory(o); });
  /// The prior weight of the form: the largest share of the time that memory can take, at most 1. A
  /// form in which memory can hardly take any time says that the core takes all of it. If all forms
  /// had equal weights, this statement would count once for each form of this kind.
  double largest_share = std::min(relative_memory(reference), 1.0);
  std::vector<double> means = std::vector<double>(places.size());  // of the places

  double relative_memory(const MemoryObservation& o) const {
    return memory_of(o, form) / std::exp(o.ln_time);
  }

  bool is_possible() const { return memory_of(reference, form) > 0; }

  /// Adds the nodes whose weight, multiplied by the prior of memory's cost, is not negligible.
  /// Returns the sum of the prior weights of all nodes.
  double add_nodes(std::vector<CostNode>* nodes) {
    double low = -kWidest, high = kWidest;
    std::vector<CostNode> found;
    int first = 0, last = kNodes - 1;
    double sum_of_priors = 0;
    for (int zoom = 0; zoom < kZooms; ++zoom) {
      const double step = (high - low) / (kNodes - 1);
      found.clear();
      for (int i = 0; i < kNodes; ++i) found.push_back(node(low + i * step, step));
      if (zoom == 0)
        for (const CostNode& n : found) sum_of_priors += n.prior;
      std::tie(first, last) = held_range(found);
      if (last - first > kNodes / 3) break;  // enough nodes have weight
      const double from = low + step * std::max(0, first - 2);
      high = low + step * std::min(kNodes - 1, last + 2);
      low = from;
    }
    nodes->insert(nodes->end(), found.begin() + first, found.begin() + last + 1);
    return sum_of_priors;
  }

  /// The range of nodes whose weights are not negligible.
  std::pair<int, int> held_range(const std::vector<CostNode>& nodes) const {
    std::vector<double> weights;
    double highest = -INFINITY, sum = 0;
    for (const CostNode& n : nodes) {
      weights.push_back(n.weight + std::log(memory_prior(form, n.ln_memory, sd)));
      highest = std::max(highest, weights.back());
    }
    for (double& w : weights) sum += w = std::exp(w - highest);
    int first = 0, last = kNodes - 1;
    double dropped = 0;
    while (first < last && (dropped += weights[static_cast<std::size_t>(first)]) < kTail * sum)
      ++first;
    dropped = 0;
    while (last > first && (dropped += weights[static_cast<std::size_t>(last)]) < kTail * sum)
      --last;
    return {first, last};
  }

  /// The node at `t`; its weight is a logarithm.
  CostNode node(double t, double step) {
    const bool adds = form != MemoryForm::kStreams;
    const double core_part = adds ? 1 / (1 + std::exp(t)) : std::exp(-0.5 * t);
    const double memory_part = adds ? 1 / (1 + std::exp(-t)) : std::exp(0.5 * t);
    const double residual =
        set_means(core_part / reference.core, memory_part / memory_of(reference, form));
    CostNode node{.form = form};
    node.ln_core_s = std::log(core_part / reference.core);
    node.ln_memory = std::log(memory_part / memory_of(reference, form));
    // For each scatter, the level is integrated out. The costs are those of the likeliest level,
    // averaged over the scatters.
    std::array<double, kScatter.size()> levels{}, weights{};
    double highest = -INFINITY;
    for (std::size_t s = 0; s < scatters.size(); ++s) {
      const ScatterNode& scatter = scatters[s];
      double& level = levels[s];
      for (std::size_t i = 0; i < places.size(); ++i) level += scatter.precisions[i] * means[i];
      level /= scatter.sum;
      double chi2 = square((node.ln_core_s + level - core.mean) / core.sd);
      for (std::size_t i = 0; i < places.size(); ++i)
        chi2 += scatter.precisions[i] * square(means[i] - level);
      weights[s] = scatter.ln_prior - 0.5 * chi2;
      highest = std::max(highest, weights[s]);
    }
    double sum = 0, level = 0;
    for (std::size_t s = 0; s < scatters.size(); ++s) {
      const double weight = std::exp(weights[s] - highest);
      sum += weight;
      level += weight * levels[s];
      node.scatter += weight * scatters[s].scatter;
    }
    node.scatter /= sum;
    node.ln_core_s += level / sum;
    node.ln_memory += level / sum;
    node.weight = highest + std::log(sum * step * largest_share) - 0.5 * residual;
    node.prior = std::exp(-0.5 * square((node.ln_core_s - core.mean) / core.sd)) *
                 memory_prior(form, node.ln_memory, sd) * step * largest_share;
    return node;
  }

  /// Sets the mean of ln(time / shape) at each place, and returns the weighted sum of the squared
  /// deviations from these means, given the costs of the shape.
  double set_means(double core_cost, double memory_cost) {
    double residual = 0;
    std::vector<double> off;  // ln(time / shape) of the observations of a place
    for (std::size_t p = 0; p < places.size(); ++p) {
      double sum = 0;
      off.clear();
      for (const MemoryObservation& o : places[p]) {
        const double c = core_cost * o.core, m = memory_cost * memory_of(o, form);
        off.push_back(o.ln_time - std::log(form == MemoryForm::kStreams ? std::max(c, m) : c + m));
        sum += off.back() / o.variance;
      }
      means[p] = sum / precisions[p];
      for (std::size_t i = 0; i < off.size(); ++i)
        residual += square(off[i] - means[p]) / places[p][i].variance;
    }
    return residual;
  }
};

}  // namespace

FactorPriors factor_priors(const MemoryCosts& costs) {
  const CostPriors& p = cost_priors();
  const auto shared = [](double sd) { return std::sqrt(square(sd) - square(own_deviation())); };
  return {shared(costs.memory_s ? p.latency_profiled_sd : p.latency_assumed_sd),
          shared(costs.bandwidth.empty() ? p.transfer_assumed_sd : p.transfer_profiled_sd)};
}

double own_deviation() {
  static const double sd = prior_data().at("costs").at("own_ln_sd");
  return sd;
}

double memory_prior(MemoryForm form, double ln_cost, double sd) {
  if (form == MemoryForm::kStreams) return density(ln_cost, sd);
  constexpr double kUniform = -1 / kLnMostOverlap;
  if (ln_cost > 0) return kUniform * edge(ln_cost, sd);
  return ln_cost < kLnMostOverlap ? kUniform * edge(ln_cost - kLnMostOverlap, sd) : kUniform;
}

MemorySplit::Costs CostNode::costs() const {
  MemorySplit::Costs costs;
  costs.core_s = std::exp(ln_core_s);
  (form == MemoryForm::kWaits  ? costs.blocked
   : form == MemoryForm::kLate ? costs.exposed
                               : costs.streamed) = std::exp(ln_memory);
  return costs;
}

double memory_of(const MemoryObservation& o, MemoryForm form) {
  return form == MemoryForm::kWaits ? o.unhidden_s : o.transfers_s;
}

KernelCosts kernel_costs(const MemoryEvidence& evidence, const FactorPriors& factors,
                         double frequency_hz, bool is_frequency_known) {
  const CostPriors& p = cost_priors();
  KernelCosts costs;
  costs.core = evidence.is_per_flop ? p.ln_cycles_per_flop : p.ln_cycles_per_instruction;
  costs.core.mean -= std::log(frequency_hz);
  if (!is_frequency_known) costs.core.sd = std::hypot(costs.core.sd, p.frequency_ln_sd);
  // Standard deviation of ln of memory's cost about its expected value.
  const auto deviation = [&](MemoryForm form) {
    return std::hypot(own_deviation(),
                      form == MemoryForm::kWaits ? factors.latency_sd : factors.transfer_sd);
  };
  std::vector<MemoryPlace> places = evidence.places;
  std::vector<double> precisions;
  for (MemoryPlace& place : places) {
    precisions.push_back(0);
    for (MemoryObservation& o : place) {
      o.variance = std::max(o.variance, kLeastVariance);
      precisions.back() += 1 / o.variance;
    }
  }
  const std::vector<ScatterNode> scatters = scatter_nodes(precisions);
  double sum_of_priors = 0;  // over all costs
  for (const MemoryForm form : kMemoryForms) {
    FormGrid grid{form, places, precisions, scatters, costs.core, deviation(form)};
    if (!grid.is_possible()) continue;
    costs.accesses_memory = true;
    sum_of_priors += grid.add_nodes(&costs.nodes);
  }
  std::erase_if(costs.nodes, [](const CostNode& n) { return !std::isfinite(n.weight); });
  double highest = -INFINITY;
  for (const CostNode& n : costs.nodes) highest = std::max(highest, n.weight);
  for (CostNode& n : costs.nodes) n.weight = std::exp(n.weight - highest);
  if (!costs.accesses_memory) return costs;
  // With prior p and likelihood L of each node: (sum p L)^2 / (sum p L^2), divided by sum p.
  double sum = 0, squares = 0;
  for (const CostNode& n : costs.nodes) {
    if (!(n.prior > 0)) continue;
    const double posterior = n.weight * memory_prior(n.form, n.ln_memory, deviation(n.form));
    sum += posterior;
    squares += square(posterior) / n.prior;
  }
  costs.occam = squares > 0 ? std::min(square(sum) / squares / sum_of_priors, 1.0) : 0;
  return costs;
}

}  // namespace apmt
