// Extrapolates one time from few points by Bayesian quadrature over the families of curves P, T, C
// and H.
//
//   T is the time at P processes and work D; P_max is the largest profiled P.
//   y = ln T, u = P / P_max (in laws of x = D/P: x_min / x), l = ln u; the level L is unknown.
//   P: L + s l                                  s ~ N, or exactly -1
//   T: L + ln[(1 - f) u^-a + f v^b]             f: share of overhead at P_max; logit f, a, b ~ N
//   C: L + ln[(1 - p) n1/n1_max + p n2/n2_max]  n1, n2: counts per rank, given by their own laws.
//                                               Or, instead of the logarithm of counts: the time
//                                               that costs of core and memory give (MemorySplit)
//   H: L + ln[(1 - f) g1/g1_max + f g2/g2_max]  g1, g2: physical laws such as 1/P and log2(P)
//
// The subscript max marks the value at u = 1.
//
// Beyond the points (u > 1), P and the term u^-a of T fall no faster than 1/u: the speed-up from
// data that begin to fit into the caches comes only once. (In H, the plain law u^-2 falls faster.)
// b is at most 1. In family T, v depends on the sign of b: a second term that falls with more
// processes depends on the work per process (v = u), as surfaces do; one that rises depends on the
// number of processes (v = P / P_max).
//
// configs/priors.yaml has the priors. H contains the plain laws that the computation of a kernel,
// or the time of start and end, usually follows; other times have no H. For kernels, its share may
// be learned from the other kernels instead (time_fit.h). Total times, communication and waiting
// have T; other times do not.
//
// Noise: ln sigma is normally distributed; repetitions measure it. Nothing is optimised: every node
// of a fixed grid gets the weight prior * likelihood, so the result is deterministic and no
// starting values are needed. The prediction of ln T is the mixture of N(g* + L^, sigma^2 + var L^
// + (w ln u*)^2) over the nodes. g* is the curve at the target without its level, L^ the estimate
// of L, ln u* the distance from the measured range, and w the widening of the family. Beyond the
// points, waiting that C or H explains changes by a factor with a certain probability
// (UnseenChange), because the runs may not show all its causes.
//
// Totals, and kernels whose time has no law of family C or H, do not follow one curve over all
// process counts: their slope differs from the curve's by a random walk in l. The walk starts at
// P_max and goes in both directions (`wander`: standard deviation of the slope after one unit of l;
// it is larger beyond P_max, where something that the points do not show may limit the program).
// Beyond P_max this widens the interval. Below P_max, a point says less about counts above P_max
// the farther it is from P_max, and ten close points hardly say more than three. Among a few
// points, often with one run each, one may be an outlier (totals only).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "fitter/times/recipe_curves.h"
#include "fitter/times/recipe_priors.h"
#include "fitter/times/recipe_table.h"

namespace apmt {

/// The points of the quadrature over ln sigma, where sigma is the scatter of the measured times.
/// They are given as distances from the mean of the prior, in standard deviations.
inline constexpr std::array<double, 7> kNoiseNodes = {0, 0.75, -0.75, 1.5, -1.5, 2.25, -2.25};
/// Numbers of points for which outliers are considered.
inline constexpr std::size_t kFewestWithAccidents = 3, kMostWithAccidents = 8;
/// The lightest entries of a posterior that add up to this much are dropped.
inline constexpr double kNegligible = 1e-6;

/// Family C: one or two counts per rank, relative to their values at the reference (u = 1).
struct RecipeCounts {
  double prior = 1;  // among the count families, which usually add up to 1
  std::vector<std::vector<double>> at_points;  // [feature][point], relative
  /// By feature: ln of its share of the time (1 - p, p), where other data show the cost of the
  /// count.
  std::vector<std::optional<NormalPrior>> ln_shares = {};
};

/// A curve with one value of the noise, and its weight in the posterior.
struct RecipeEntry {
  std::size_t curve = 0;  // entries of one curve are consecutive
  double weight = 0;
  double level = 0;
  std::size_t noise = 0;
};

/// What a posterior shares with the nodes that are chosen from it for the draws (recipe_nodes.h):
/// the points, and the assumptions about curves through them.
struct RecipeBasis {
  std::vector<RecipePoint> points;
  double widening = 0;        // of families P and T
  double plain_widening = 0;  // of families H and C
  UnseenChange change = {};   // of families H and C
  std::vector<RecipeNoise> noise;
  std::shared_ptr<const RecipeTable> table = {};
  std::vector<RecipeCurve> of_counts = {};  // their indices follow those of the table

  const RecipeCurve& curve(std::size_t index) const;
  /// ln T of a curve at a target, without its level.
  double value(std::size_t curve, const RecipeTarget& target) const;
  /// The random walk of the slope at l, one entry for each of `noise`.
  std::vector<Wandered> wandered(double l) const;
};

/// The posterior of the curves given the points.
class RecipePosterior {
 public:
  RecipePosterior(const std::vector<RecipePoint>& points, const RecipePriors& priors,
                  const NormalPrior& noise, const std::vector<RecipeCounts>& counts = {});

  const RecipeBasis& basis() const { return basis_; }
  const std::vector<RecipeEntry>& entries() const { return entries_; }  // weights add up to 1
  /// The values of a curve at the points.
  const double* at_points(std::size_t curve) const;
  double ln_level() const { return ln_level_; }  // posterior mean of L
  /// Posterior share of count family i, and the mean of p (the second feature's share at u = 1).
  double count_posterior(std::size_t i) const { return count_posterior_[i]; }
  double count_share(std::size_t i) const { return count_share_[i]; }
  /// Posterior share of family H among the families other than counts.
  double plain_posterior() const { return plain_posterior_; }

 private:
  /// The weights in `entries` are logarithms.
  void keep_heaviest(std::vector<RecipeEntry>* entries);
  void normalise(std::size_t count_families);

  RecipeBasis basis_;
  std::vector<double> of_counts_at_points_;
  std::vector<RecipeEntry> entries_;
  double ln_level_ = 0;
  std::vector<double> count_posterior_;
  std::vector<double> count_share_;
  double plain_posterior_ = 0;
};

}  // namespace apmt
