// A mixture of normal distributions of ln T: what the recipe says about one time.
#pragma once

#include <vector>

namespace apmt {

/// One part of a mixture: weight * N(mean, sd^2) of ln T.
struct LogNormalPart {
  double weight = 0;
  double mean = 0;
  double sd = 0;
};

class LogMixture {
 public:
  LogMixture() = default;
  /// `parts` need not be normalised. Parts of equal sd whose means lie within sd/25 of each other are
  /// merged (their variance is kept to 1e-4), so that a quantile costs microseconds.
  explicit LogMixture(std::vector<LogNormalPart> parts);

  bool empty() const { return parts_.empty(); }
  double mean() const;
  double cdf(double ln_t) const;
  /// The q quantile of ln T, 0 < q < 1, to 1e-10; monotone in q.
  double ln_quantile(double q) const;
  const std::vector<LogNormalPart>& parts() const { return parts_; }

 private:
  std::vector<LogNormalPart> parts_;  // weights add up to 1
};

}  // namespace apmt
