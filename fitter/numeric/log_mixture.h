// A mixture of normal distributions of ln T, the predicted distribution of a single time T.
#pragma once

#include <vector>

namespace apmt {

/// One component of a mixture: weight * N(mean, sd^2) of ln T.
struct LogNormalPart {
  double weight = 0;
  double mean = 0;
  double sd = 0;
};

/// Collects components with the same standard deviation. Merges those whose means lie in the same
/// cell of width sd/25. Merging keeps the total weight, the mean and the variance; it takes time
/// linear in the number of components.
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
  /// The weights of `parts` need not add up to 1.
  explicit LogMixture(std::vector<LogNormalPart> parts);

  double mean() const;
  double cdf(double ln_t) const;
  /// The q quantile of ln T for 0 < q < 1, accurate to 1e-10; it never falls as q grows.
  double ln_quantile(double q) const;
  const std::vector<LogNormalPart>& parts() const { return parts_; }

 private:
  std::vector<LogNormalPart> parts_;  // weights add up to 1
};

/// The quantile function of the standard normal distribution, 0 < q < 1.
double standard_normal_quantile(double q);

}  // namespace apmt
