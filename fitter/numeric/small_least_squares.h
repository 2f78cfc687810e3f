// Linear least squares with few unknowns, mostly one to three, for tens of thousands of small fits.
#pragma once

#include <optional>
#include <vector>

namespace apmt {

/// The c that minimises |A c - y|^2, by modified Gram-Schmidt; `columns` are the columns of A.
/// Returns nothing if they are linearly dependent (to 1e-10).
std::optional<std::vector<double>> solve_least_squares(std::vector<std::vector<double>> columns,
                                                       std::vector<double> y);

/// The same without copies; overwrites columns and y.
bool solve_in_place(std::vector<std::vector<double>>& columns, std::vector<double>& y,
                    std::vector<double>* c);

/// Like solve_least_squares(), with the condition c >= 0. Tries all subsets of columns, which is
/// exact, and quick for so few.
std::vector<double> solve_non_negative(const std::vector<std::vector<double>>& columns,
                                       const std::vector<double>& y);

}  // namespace apmt
