// The work D as an expression of the problem sizes, and its choice if the user gives none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fitter/runs/experiment.h"

namespace apmt {

/// An arithmetic expression of named sizes: + - * / ^, parentheses, numbers, names.
class WorkExpression {
 public:
  /// Throws InputError with the position of the syntax error.
  explicit WorkExpression(const std::string& text);
  WorkExpression() = default;  // always 1

  /// The expression in postfix form for a stack machine. Items are numbers, names with a blank
  /// before them, "+ - * / ^" and "negative".
  const std::vector<std::string>& postfix() const { return postfix_; }
  /// Throws InputError if a name has no value or the result is not a positive number.
  double value(const std::map<std::string, double>& params) const;
  /// The power of a factor on all sizes by which the value grows, at these sizes: 2 for nx * ny.
  double degree(const std::map<std::string, double>& params) const;
  const std::set<std::string>& names() const { return names_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> postfix_;
  std::set<std::string> names_;
};

struct WorkChoice {
  WorkExpression expression;
  std::vector<double> at_points;      // D at every point; all 1 if there are no sizes
  std::vector<std::string> warnings;  // the assumptions that were made
};

/// `text` is the user's expression. If it is empty, the work depends on the sizes that vary between
/// the runs:
/// - one varying size n: the power n, n^2 or n^3 that total compute time follows best (a warning
///   mentions it unless it is n);
/// - several varying sizes: their product;
/// - none: the product of all sizes above 0.
WorkChoice choose_work(const Experiment& experiment, const std::string& text);

}  // namespace apmt
