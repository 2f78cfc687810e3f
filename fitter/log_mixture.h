// A mixture of normal distributions of ln T: the predictive distribution of one time.
#pragma once

#include <vector>

namespace apmt {

/// One part of a mixture: weight * N(mean, sd^2) of ln T.
struct LogNormalPart {
  double weight = 0;
  double mean = 0;
  double sd = 0;
};

/// Parts with the same standard deviation, merged if their means lie in the same cell of sd/25.
/// Merging keeps weight, mean and variance. Linear in the number of parts.
class PartGrid {
 public:
  static constexpr double kCellsPerSd = 25;
  static constexpr double kMostCells = 20000;
  PartGrid(double sd, double lowest_mean, double highest_mean);
  void add(double weight, double mean);
  void append_to(std::vector<LogNormalPart>* parts) const;

 private:
  struct Cell {
    double weight = 0;
    double first = 0;   // sum of weight * d, d = distance from the cell's lower edge
    double second = 0;  // sum of weight * d^2
  };
  double sd_;
  double lowest_;
  double width_;
  std::vector<Cell> cells_;
};

class LogMixture {
 public:
  LogMixture() = default;
  /// `parts` need not be normalised.
  explicit LogMixture(std::vector<LogNormalPart> parts);

  bool empty() const { return parts_.empty(); }
  double mean() const;
  double cdf(double ln_t) const;
  /// The q quantile of ln T, 0 < q < 1, accurate to 1e-10; monotone in q.
  double ln_quantile(double q) const;
  const std::vector<LogNormalPart>& parts() const { return parts_; }

 private:
  std::vector<LogNormalPart> parts_;  // weights add up to 1
};

/// The quantile function of the standard normal distribution, 0 < q < 1.
double standard_normal_quantile(double q);

}  // namespace apmt
