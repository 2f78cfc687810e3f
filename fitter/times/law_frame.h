// Converts the points of a time law, and the targets of predictions, to the coordinates of
// recipe.h. These are relative to the law's largest process count.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "fitter/laws/time_law.h"
#include "fitter/times/recipe.h"

namespace apmt {

/// The effect of a what-if on a law: factors on the cost of each unit of a count, and on the time
/// as a whole.
struct CostFactors {
  double latency = 1;  // features "alpha": messages, steps
  double volume = 1;   // features "beta": bytes
  double whole = 1;
  int cores_per_node = 0;  // 0: as in the runs
  double of(const Feature& feature) const;
  bool splits() const { return latency != 1 || volume != 1; }
};

/// The law must outlive it.
class LawFrame {
 public:
  explicit LawFrame(const TimeLaw& law);

  RecipeTarget target(double procs, double work, const CostFactors& factors) const;
  /// The time with changed costs divided by the unchanged time, computed from the counts that
  /// explain it: the mean of the families' ratios, weighted by their posterior shares. 1 without
  /// counts.
  double cost_ratio(double procs, double work, const CostFactors& factors) const;
  /// The time by a family's counts and their costs, with changed costs.
  double time_by_counts(const CountFamily& family, double procs, double work,
                        const CostFactors& factors) const;
  /// The share of the features with this name in the time by a family's counts; absent if that time
  /// is zero.
  std::optional<double> share_of(const std::string& feature, const CountFamily& family,
                                 double procs, double work) const;
  /// For a law without noise: the values of all its forms that pass through every point, the
  /// likeliest first.
  std::vector<double> alternatives(double procs, double work, const CostFactors& factors) const;
  /// The posterior of the curves of kRecipe, given the points.
  RecipePosterior posterior() const;
  const TimeLaw& law() const { return law_; }
  double max_procs() const { return max_procs_; }
  double reference_work() const { return reference_work_; }
  /// All data that the HTML page needs to compute times of the law (evaluation_table.h).
  Json exported() const;

 private:
  std::vector<RecipePoint> recipe_points() const;
  std::vector<RecipeCounts> recipe_counts() const;
  bool priors_in_work() const;
  /// Whether the costs of core and memory give one of the laws (MemorySplit::prior).
  bool is_by_costs() const;
  /// How far ln of the time by costs may stray from foreseen accesses (MemorySplit::is_foreseen): a
  /// fraction of the change that is due to memory. `ln_ratio` is the mean of
  /// MemorySplit::ln_ratios().
  double counts_stray(double ln_ratio, double procs, double work) const;
  /// By profiled process count: the measured count divided by its law. Empty if the law reproduces
  /// the counts (Feature::seen) or is zero at one of them, or if problem sizes vary.
  std::vector<std::pair<double, double>> seen_ratios(const Feature& feature) const;
  /// The count per rank. Up to the largest profiled process count, its law is corrected by
  /// seen_ratios().
  double count(const Feature& feature, double procs, double work) const;
  /// Whether the bytes of messages cost time in any family; otherwise their time is all latency.
  bool has_bytes() const;
  /// ln of the factor by which a problem size lies outside the profiled ones. If each process count
  /// had one size, as in weak scaling: outside the sizes that continue this series.
  double size_distance(double procs, double work) const;
  RecipePriors priors() const;
  /// The family whose counts are plain calls and bytes, without assumptions about algorithms;
  /// absent also if algorithms do not depend on sizes.
  std::optional<std::size_t> plain_family() const;
  /// ln of the bytes that a call moves for each process; absent without a plain family, or if bytes
  /// or calls are zero.
  std::optional<double> ln_call_size(double procs, double work) const;
  /// Standard deviation of ln T because of what the runs do not show (TimeLaw::Unseen).
  double unseen_sd(double procs, double work, int cores_per_node) const;
  double size_ratio(double work) const { return work_varies_ ? 1 : work / reference_work_; }

  const TimeLaw& law_;
  /// ln P and ln D of the points, if problem sizes vary and each P has one; otherwise empty.
  std::vector<std::pair<double, double>> series_;
  double max_procs_ = 0;
  double min_procs_ = 0;
  double min_x_ = 0;  // smallest and largest work per process
  double max_x_ = 0;
  double reference_work_ = 1;  // at the largest process count
  bool work_varies_ = false;
  bool many_sizes_ = false;             // at least three; their scatter is then part of the noise
  double ln_smallest_call_ = INFINITY;  // as ln_call_size(), of all points
  double ln_largest_call_ = -INFINITY;
};

/// All points have a common noise. For each point, this returns the additional standard deviation
/// of ln of its median. It consists of the point's sampling error, and of the scatter of its median
/// as far as this exceeds the scatter of the surest point's median (the surest point is the one
/// whose number of runs gives the median with the smallest variance).
std::vector<double> extra_sigmas(const std::vector<FitPoint>& points);

/// The noise of the surest point about its curve, estimated from all repetitions together. Without
/// repetitions it is the prior. Otherwise it is the conjugate update ln sigma ~ N((m + 2 nu ln s) /
/// (1 + 2 nu), 1 / (1 + 2 nu)). Here m is the mean of the prior. s^2 is the measured variance of
/// this point's median, plus the square of RecipePriors::discrepancy. nu is the number of degrees
/// of freedom of the repetitions. With three or more problem sizes, the points also show how far a
/// size lies off the curve; this deviation is then part of the noise.
NormalPrior noise_prior(const std::vector<FitPoint>& points, const RecipePriors& priors);

}  // namespace apmt
