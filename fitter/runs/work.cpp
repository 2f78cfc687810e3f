#include "fitter/runs/work.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/input_error.h"

namespace apmt {
namespace {

/// Parses and evaluates in one pass by recursive descent: expressions are short and rarely
/// evaluated.
class Parser {
 public:
  Parser(const std::string& text, const std::map<std::string, double>* params,
         std::set<std::string>* names, std::vector<std::string>* postfix = nullptr)
      : text_(text), params_(params), names_(names), postfix_(postfix) {}

  double parse() {
    const double value = sum();
    if (peek() != '\0') fail("an operator or the end");
    return value;
  }

 private:
  static constexpr int kDeepest = 200;

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError("work '" + text_ + "'",
                     "expected " + expected + " at character " + std::to_string(at_ + 1),
                     "write an expression of the problem sizes, e.g. nx*ny*nz");
  }

  void note(std::string token) {
    if (postfix_ != nullptr) postfix_->push_back(std::move(token));
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take('+')) {
        value += product();
        note("+");
      } else if (take('-')) {
        value -= product();
        note("-");
      } else {
        return value;
      }
    }
  }
  double product() {
    double value = power();
    for (;;) {
      if (take('*')) {
        value *= power();
        note("*");
      } else if (take('/')) {
        value /= power();
        note("/");
      } else {
        return value;
      }
    }
  }
  double power() {
    const double base = atom();
    if (!take('^')) return base;
    if (++depth_ > kDeepest) fail("fewer powers of powers");
    const double value = std::pow(base, power());
    --depth_;
    note("^");
    return value;
  }
  double atom() {
    if (++depth_ > kDeepest) fail("fewer parentheses");
    const double value = inner_atom();
    --depth_;
    return value;
  }
  double inner_atom() {
    const char c = peek();
    if (take('-')) {
      const double value = -power();
      note("negative");
      return value;
    }
    if (take('(')) {
      const double value = sum();
      if (!take(')')) fail("')'");
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      char* end = nullptr;
      const double value = std::strtod(text_.c_str() + at_, &end);
      if (end == text_.c_str() + at_) fail("a number");
      note(text_.substr(at_, static_cast<std::size_t>(end - text_.c_str()) - at_));
      at_ = static_cast<std::size_t>(end - text_.c_str());
      return value;
    }
    if (!std::isalpha(static_cast<unsigned char>(c)) && c != '_') fail("a number or a name");
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (names_ != nullptr) names_->insert(name);
    note(" " + name);
    if (params_ == nullptr) return 1;
    const auto it = params_->find(name);
    if (it == params_->end())
      throw InputError("work '" + text_ + "'", "no problem size is called '" + name + "'");
    return it->second;
  }

  const std::string& text_;
  const std::map<std::string, double>* params_;
  std::set<std::string>* names_;
  std::vector<std::string>* postfix_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

WorkExpression::WorkExpression(const std::string& text) : text_(text) {
  if (!text_.empty()) Parser(text_, nullptr, &names_).parse();
}

std::vector<std::string> WorkExpression::postfix() const {
  std::vector<std::string> tokens;
  if (!text_.empty()) Parser(text_, nullptr, nullptr, &tokens).parse();
  return tokens;
}

double WorkExpression::value(const std::map<std::string, double>& params) const {
  if (text_.empty()) return 1;
  const double value = Parser(text_, &params, nullptr).parse();
  if (!std::isfinite(value) || value <= 0)
    throw InputError("work '" + text_ + "'", "is not a positive number for these problem sizes");
  return value;
}

}  // namespace apmt
