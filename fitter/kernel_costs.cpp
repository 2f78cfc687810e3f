#include "fitter/kernel_costs.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/square.h"

namespace apmt {
namespace {

/// Compiled code needs 0.1 to 3 cycles per instruction when its data are in the caches: the usual
/// value times e^(-2 sd) to e^(2 sd). An assumed frequency adds an uncertainty with sd 0.3.
constexpr double kUsualCpi = 0.6, kCpiSpread = 0.8, kUnknownFrequency = 0.3;
/// A floating-point operation needs 0.06 cycles in the widest vectors, and about 20 cycles if most
/// instructions of the kernel are of other kinds.
constexpr double kUsualCyclesPerFlop = 1, kFlopSpread = 1.5;
/// Standard deviations of ln of the figures of a machine profile, and of assumed figures, for the
/// accesses of a kernel. A part of this deviation, kOwnDeviation, is the kernel's own.
constexpr double kLatency = 0.15, kLatencyAssumed = 0.4;
constexpr double kTransfer = 0.2, kTransferAssumed = 0.6;
/// A few kernels deviate more: the simulated counts of their accesses may be far off.
constexpr double kOutliers = 0.05, kOutlierDeviation = 1;
/// Possible values for the scatter of the times about a form. The times scatter because costs vary
/// a little between problem sizes.
constexpr std::array<double, 7> kScatter = {3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3};
constexpr NormalPrior kLnScatter{-2.995732273553991, 1.2};  // ln 0.05
constexpr double kLeastVariance = 1e-12;                    // exact times get finite weights

constexpr int kNodes = 161;  // of the grid of t in Grid
constexpr int kZooms = 4;
constexpr double kWidest = 7;  // largest t on the grid
constexpr double kTail = 1e-7;
constexpr double kLnSqrtTwoPi = 0.918938533204673;

double ln_normal(double x, double sd) {
  return -0.5 * square(x / sd) - std::log(sd) - kLnSqrtTwoPi;
}

/// The shape of a normal distribution with outliers, 1 at x = 0.
double ln_edge(double x, double sd) {
  return std::log((1 - kOutliers) * std::exp(-0.5 * square(x / sd)) +
                  kOutliers * std::exp(-0.5 * square(x / std::max(sd, kOutlierDeviation))));
}

/// The observations of one place. They share one deviation from the form; the rest of their errors
/// are independent.
struct PlaceSums {
  double precision = 0;     // sum of 1 / variance
  double ln_variances = 0;  // sum of ln variance
  std::size_t first = 0, last = 0;
};

std::vector<PlaceSums> places_of(std::vector<MemoryObservation>* sorted) {
  std::vector<PlaceSums> places;
  for (std::size_t i = 0; i < sorted->size(); ++i) {
    MemoryObservation& o = (*sorted)[i];
    o.variance = std::max(o.variance, kLeastVariance);
    if (i == 0 || o.place != (*sorted)[i - 1].place) places.push_back({0, 0, i, i});
    PlaceSums& place = places.back();
    place.precision += 1 / o.variance;
    place.ln_variances += std::log(o.variance);
    place.last = i + 1;
  }
  return places;
}

/// ln of the sum of exp(values).
double ln_sum_exp(const std::vector<double>& values) {
  const double highest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double v : values) sum += std::exp(v - highest);
  return highest + std::log(sum);
}

/// The grid of one form. A form is a level times a shape; the shape has one parameter, t =
/// ln(memory / core) at the reference observation, where memory's share of the time is largest.
class FormGrid {
 public:
  FormGrid(MemoryForm form, const std::vector<MemoryObservation>& observations,
           const std::vector<PlaceSums>& places, const NormalPrior& core, double sd)
      : form_(form), observations_(observations), places_(places), core_(core), sd_(sd) {
    const auto weight = [&](const MemoryObservation& o) {
      return memory_of(o, form) / std::exp(o.ln_time);
    };
    reference_ =
        *std::max_element(observations.begin(), observations.end(),
                          [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
  }

  bool is_possible() const { return memory_of(reference_, form_) > 0; }

  /// Adds the nodes that have weight after the prior of memory's cost is applied, too.
  void add_nodes(std::vector<CostNode>* nodes) const {
    double low = -kWidest, high = kWidest;
    std::vector<CostNode> found;
    int first = 0, last = kNodes - 1;
    for (int zoom = 0; zoom < kZooms; ++zoom) {
      const double step = (high - low) / (kNodes - 1);
      found.clear();
      for (int i = 0; i < kNodes; ++i) found.push_back(node(low + i * step, step));
      std::tie(first, last) = held_range(found);
      if (last - first > kNodes / 3) break;  // enough nodes have weight
      const double from = low + step * std::max(0, first - 2);
      high = low + step * std::min(kNodes - 1, last + 2);
      low = from;
    }
    nodes->insert(nodes->end(), found.begin() + first, found.begin() + last + 1);
  }

 private:
  /// The range of nodes whose weights are not negligible.
  std::pair<int, int> held_range(const std::vector<CostNode>& nodes) const {
    std::vector<double> weights;
    double highest = -INFINITY, sum = 0;
    for (const CostNode& n : nodes) {
      weights.push_back(n.ln_weight + ln_memory_prior(form_, n.ln_memory, sd_));
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

  CostNode node(double t, double step) const {
    const bool adds = form_ != MemoryForm::kStreams;
    const double core_part = adds ? 1 / (1 + std::exp(t)) : std::exp(-0.5 * t);
    const double memory_part = adds ? 1 / (1 + std::exp(-t)) : std::exp(0.5 * t);
    std::vector<double> off;  // ln time minus ln of the shape
    for (const MemoryObservation& o : observations_) {
      const double c = core_part * o.core / reference_.core;
      const double m = memory_part * memory_of(o, form_) / memory_of(reference_, form_);
      off.push_back(o.ln_time - std::log(adds ? c + m : std::max(c, m)));
    }
    struct Mean {
      double value = 0;     // weighted mean of the place
      double residual = 0;  // weighted sum of squares about it
    };
    std::vector<Mean> means;
    for (const PlaceSums& place : places_) {
      Mean mean;
      for (std::size_t i = place.first; i < place.last; ++i)
        mean.value += off[i] / observations_[i].variance / place.precision;
      for (std::size_t i = place.first; i < place.last; ++i)
        mean.residual += square(off[i] - mean.value) / observations_[i].variance;
      means.push_back(mean);
    }
    // For each scatter, the level is integrated out. The costs are those of the likeliest level.
    CostNode node{.form = form_};
    std::array<double, kScatter.size()> levels{};
    std::vector<double> ln_weights;
    for (std::size_t s = 0; s < kScatter.size(); ++s) {
      double precision = 0, pulled = 0;
      double ln = ln_normal(std::log(kScatter[s]) - kLnScatter.mean, kLnScatter.sd);
      for (std::size_t i = 0; i < places_.size(); ++i) {
        const double variance = square(kScatter[s]) + 1 / places_[i].precision;
        precision += 1 / variance;
        pulled += means[i].value / variance;
        ln -= 0.5 * (places_[i].ln_variances + std::log(places_[i].precision * variance) +
                     means[i].residual);
      }
      levels[s] = pulled / precision;
      for (std::size_t i = 0; i < places_.size(); ++i)
        ln -= 0.5 * square(means[i].value - levels[s]) /
              (square(kScatter[s]) + 1 / places_[i].precision);
      ln -= 0.5 * std::log(precision);
      ln += ln_normal(levels[s] + std::log(core_part / reference_.core) - core_.mean, core_.sd);
      ln_weights.push_back(ln);
    }
    const double ln_weight = ln_sum_exp(ln_weights);
    double level = 0;
    for (std::size_t s = 0; s < kScatter.size(); ++s) {
      const double weight = std::exp(ln_weights[s] - ln_weight);
      level += weight * levels[s];
      node.scatter += weight * kScatter[s];
    }
    node.ln_weight = ln_weight + std::log(step);
    node.ln_core_s = level + std::log(core_part / reference_.core);
    node.ln_memory = level + std::log(memory_part / memory_of(reference_, form_));
    return node;
  }

  MemoryForm form_;
  const std::vector<MemoryObservation>& observations_;
  const std::vector<PlaceSums>& places_;
  NormalPrior core_;
  double sd_;
  MemoryObservation reference_;
};

}  // namespace

FactorPriors factor_priors(const MemoryCosts& costs) {
  const auto shared = [](double sd) { return std::sqrt(square(sd) - square(kOwnDeviation)); };
  return {shared(costs.memory_s ? kLatency : kLatencyAssumed),
          shared(costs.bandwidth.empty() ? kTransferAssumed : kTransfer)};
}

double ln_memory_prior(MemoryForm form, double ln_cost, double sd) {
  if (form == MemoryForm::kStreams)
    return std::log((1 - kOutliers) * std::exp(ln_normal(ln_cost, sd)) +
                    kOutliers * std::exp(ln_normal(ln_cost, std::max(sd, kOutlierDeviation))));
  const double ln_uniform = -std::log(-kLnMostOverlap);
  if (ln_cost > 0) return ln_uniform + ln_edge(ln_cost, sd);
  if (ln_cost < kLnMostOverlap) return ln_uniform + ln_edge(ln_cost - kLnMostOverlap, sd);
  return ln_uniform;
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

KernelCosts::KernelCosts(const MemoryEvidence& evidence, const FactorPriors& factors,
                         double frequency_hz, bool is_frequency_known) {
  const double unknown = is_frequency_known ? 0 : kUnknownFrequency;
  core_ = evidence.is_per_flop ? NormalPrior{std::log(kUsualCyclesPerFlop), kFlopSpread}
                               : NormalPrior{std::log(kUsualCpi), kCpiSpread};
  core_ = {core_.mean - std::log(frequency_hz), std::hypot(core_.sd, unknown)};
  std::vector<MemoryObservation> observations = evidence.observations;
  const std::vector<PlaceSums> places = places_of(&observations);
  for (const MemoryForm form : kMemoryForms) {
    const FormGrid grid(form, observations, places, core_,
                        std::hypot(kOwnDeviation, factors.sd(form)));
    if (!grid.is_possible()) continue;
    accesses_memory_ = true;
    grid.add_nodes(&nodes_);
  }
  std::erase_if(nodes_, [](const CostNode& n) { return !std::isfinite(n.ln_weight); });
  double highest = -INFINITY;
  for (const CostNode& n : nodes_) highest = std::max(highest, n.ln_weight);
  for (CostNode& n : nodes_) n.ln_weight -= highest;
}

}  // namespace apmt
