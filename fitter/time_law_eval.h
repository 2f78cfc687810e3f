// What a time law says at a process count and problem size: a distribution.
#pragma once

#include <cmath>
#include <optional>

#include "fitter/law.h"
#include "fitter/log_mixture.h"
#include "fitter/recipe.h"

namespace apmt {

/// One time in seconds, unknown within limits. quantile() is monotone and never negative.
class TimeDistribution {
 public:
  static TimeDistribution zero() { return {}; }
  TimeDistribution(LogMixture mixture, double new_size_sd, double noise_sd)
      : mixture_(std::move(mixture)), new_size_sd_(new_size_sd), noise_sd_(noise_sd) {}
  /// Between laws that the data cannot tell apart: the likeliest is the median.
  TimeDistribution(double low_s, double likeliest_s, double high_s)
      : low_s_(low_s), likeliest_s_(likeliest_s), high_s_(high_s) {}
  double quantile(double q) const;
  /// The same time on a machine where it takes `factor` as long.
  TimeDistribution times(double factor) const;
  /// What a problem size never seen adds to the standard deviation of ln T, of all times of a
  /// program alike; infinite between laws that the data cannot tell apart, where all of the
  /// interval is kept when times are added.
  double new_size_sd() const { return new_size_sd_; }
  /// What noise adds, where it was measured and where it is asked.
  double noise_sd() const { return noise_sd_; }

 private:
  TimeDistribution() = default;
  LogMixture mixture_;
  double low_s_ = 0;
  double likeliest_s_ = 0;
  double high_s_ = 0;
  double factor_ = 1;
  double new_size_sd_ = INFINITY;
  double noise_sd_ = 0;
};

/// What-if: factors on the cost of each unit of a count, and on the time as a whole.
struct CostFactors {
  double latency = 1;  // features "alpha": messages, steps
  double volume = 1;   // features "beta": bytes
  double whole = 1;
  double of(const Feature& feature) const;
  bool splits() const { return latency != 1 || volume != 1; }
};

/// A time law made ready for questions. The law must outlive it.
class TimeLawEvaluator {
 public:
  static constexpr double kNewSize = 0.05;    // sd of ln T at a new size, with one or two profiled
  static constexpr double kProcsAlone = 0.3;  // distance in ln P over that in ln x, see target()
  static constexpr double kRounding = 1e-5;   // closed forms are exact from 1e-6 at the points
  static constexpr double kFarthestLn = 230;  // e^230 seconds: beyond any use, within a double

  explicit TimeLawEvaluator(const TimeLaw& law);
  TimeDistribution at(double procs, double work, const CostFactors& factors = {}) const;
  /// exp of the mean of ln T: near the median, and cheap.
  double centre(double procs, double work, const CostFactors& factors = {}) const;
  /// The time with costs changed over the time without, by the counts that explain it: each
  /// family's by its posterior share. 1 without counts.
  double cost_ratio(double procs, double work, const CostFactors& factors) const;
  const TimeLaw& law() const { return law_; }
  const RecipePosterior& posterior() const { return *posterior_; }
  bool has_posterior() const { return posterior_.has_value(); }
  /// All that a page needs to say the same (evaluation_table.h).
  Json exported() const;

 private:
  std::vector<RecipePoint> recipe_points() const;
  std::vector<RecipeCounts> recipe_counts() const;
  bool priors_in_work() const;
  RecipePriors priors() const;
  RecipeTarget target(double procs, double work) const;
  RecipeTarget target(double procs, double work, const CostFactors& factors) const;
  double size_ratio(double work) const { return work_varies_ ? 1 : work / reference_work_; }
  bool is_profiled_size(double work) const;

  const TimeLaw& law_;
  double max_procs_ = 0;
  double min_procs_ = 0;
  double min_x_ = 0;  // smallest work per process
  double max_x_ = 0;
  double reference_work_ = 1;  // at the largest process count
  bool work_varies_ = false;
  bool many_sizes_ = false;  // their scatter is in the noise of the points
  std::optional<RecipePosterior> posterior_;
};

/// Noise of a point about its curve, from all repetitions together: that of the priors where there
/// are none; otherwise its conjugate update, ln sigma ~ N((m + 2 nu ln s) / (1 + 2 nu), 1 /
/// (1 + 2 nu)) with s the measured deviation of a point's median (and what lies off every curve, as
/// the priors say) and nu its degrees of freedom. Three problem sizes or more show how far a size
/// lies off the curve as well: this joins the noise, and the points decide about both.
NoisePrior noise_prior(const std::vector<FitPoint>& points, const RecipePriors& priors);

}  // namespace apmt
