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
  TimeDistribution(LogMixture mixture, double shared_sd)
      : mixture_(std::move(mixture)), shared_sd_(shared_sd) {}
  /// Between laws that the data cannot tell apart: the likeliest is the median.
  TimeDistribution(double low_s, double likeliest_s, double high_s)
      : low_s_(low_s), likeliest_s_(likeliest_s), high_s_(high_s) {}
  double quantile(double q) const;
  /// Standard deviation of ln T that the times of one program have in common; infinite between laws
  /// that the data cannot tell apart, where all of the interval is kept when times are added.
  double shared_sd() const { return shared_sd_; }

 private:
  TimeDistribution() = default;
  LogMixture mixture_;
  double low_s_ = 0;
  double likeliest_s_ = 0;
  double high_s_ = 0;
  double shared_sd_ = INFINITY;
};

/// A time law made ready for questions. The law must outlive it.
class TimeLawEvaluator {
 public:
  explicit TimeLawEvaluator(const TimeLaw& law);
  TimeDistribution at(double procs, double work) const;
  /// exp of the mean of ln T: near the median, and cheap.
  double centre(double procs, double work) const;
  const RecipePosterior& posterior() const { return *posterior_; }
  bool has_posterior() const { return posterior_.has_value(); }

 private:
  RecipeTarget target(double procs, double work) const;
  bool is_profiled_size(double work) const;

  const TimeLaw& law_;
  double max_procs_ = 0;
  double min_procs_ = 0;
  double min_x_ = 0;  // smallest work per process
  double max_x_ = 0;
  double reference_work_ = 1;  // at the largest process count
  bool work_varies_ = false;
  std::optional<RecipePosterior> posterior_;
};

/// Noise of a point about its curve, from all repetitions together: the prior of recipe.h where
/// there are none; otherwise its conjugate update, ln sigma ~ N((m + 2 nu ln s) / (1 + 2 nu), 1 /
/// (1 + 2 nu)) with s the measured deviation of a point's median (floor 1 %: no curve is better
/// than that) and nu its degrees of freedom.
NoisePrior noise_prior(const std::vector<FitPoint>& points);

}  // namespace apmt
