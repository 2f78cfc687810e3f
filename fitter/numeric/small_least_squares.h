// Linear least squares with few unknowns, mostly one to three, for tens of thousands of small fits.
#pragma once

#include <optional>
#include <vector>

namespace apmt {

/// The c that minimises |A c - y|^2, by modified Gram-Schmidt. Keeps its memory from one problem to
/// the next.
class LeastSquares {
 public:
  /// Begins a problem with this many equations.
  void begin(std::size_t equations);
  /// Adds a column of zeros to A; the caller fills it in.
  std::vector<double>& add_column();
  std::vector<double>& y() { return y_; }
  /// Overwrites the columns and y. Returns false if the columns are linearly dependent (to 1e-10).
  bool solve();
  const std::vector<double>& c() const { return c_; }

 private:
  std::size_t count_ = 0;                     // of columns in use
  std::vector<std::vector<double>> columns_;  // at least `count_`
  std::vector<double> y_;
  std::vector<double> scale_;
  std::vector<double> r_;  // by row
  std::vector<double> c_;
};

/// Solves one problem, without a LeastSquares object; `columns` are the columns of A. Returns
/// nothing if they are linearly dependent.
std::optional<std::vector<double>> solve_least_squares(std::vector<std::vector<double>> columns,
                                                       std::vector<double> y);

/// Like solve_least_squares(), with the condition c >= 0. Tries all subsets of columns, which is
/// exact, and quick for so few.
std::vector<double> solve_non_negative(const std::vector<std::vector<double>>& columns,
                                       const std::vector<double>& y);

}  // namespace apmt
