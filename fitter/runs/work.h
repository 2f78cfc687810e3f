// The work D as an expression of the problem sizes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace apmt {

/// An arithmetic expression of named sizes: + - * / ^, parentheses, numbers, names.
class WorkExpression {
 public:
  /// Throws InputError with the position of the syntax error.
  explicit WorkExpression(const std::string& text);
  WorkExpression() = default;  // always 1

  /// The expression in postfix form for a stack machine. Items are numbers, names with a blank
  /// before them, "+ - * / ^" and "negative".
  std::vector<std::string> postfix() const;
  /// Throws InputError if a name has no value or the result is not a positive number.
  double value(const std::map<std::string, double>& params) const;
  const std::set<std::string>& names() const { return names_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::set<std::string> names_;
};

}  // namespace apmt
