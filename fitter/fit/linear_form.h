// Fits the coefficients of a linear form with Ceres, within bounds.
#pragma once

#include <limits>
#include <vector>

namespace apmt {

/// The values shall be the sum of coefficients times columns.
struct LinearForm {
  /// A column, one number for each value, and the range of its coefficient.
  struct Column {
    std::vector<double> numbers;
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
  };
  std::vector<Column> columns;
  std::vector<double> values;
};

/// The coefficients with the smallest sum of squared deviations; all zero if there are none. If
/// the columns are linearly dependent, one of the best solutions.
std::vector<double> fit_form(const LinearForm& form);

}  // namespace apmt
