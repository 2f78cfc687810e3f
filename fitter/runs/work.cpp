#include "fitter/runs/work.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/input_error.h"
#include "base/listed.h"

namespace apmt {
namespace {

/// Translates an expression into its postfix form by recursive descent.
class Parser {
 public:
  Parser(const std::string& text, std::vector<std::string>* postfix)
      : text_(text), postfix_(postfix) {}

  void parse() {
    sum();
    if (peek() != '\0') fail("an operator or the end");
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

  /// One or more operands with operators between them, applied from left to right.
  void chain(char one, char other, void (Parser::*operand)()) {
    (this->*operand)();
    while (peek() == one || peek() == other) {
      const std::string symbol(1, text_[at_++]);
      (this->*operand)();
      postfix_->push_back(symbol);
    }
  }
  void sum() { chain('+', '-', &Parser::product); }
  void product() { chain('*', '/', &Parser::power); }
  void power() {
    atom();
    if (!take('^')) return;
    if (++depth_ > kDeepest) fail("fewer powers of powers");
    power();
    --depth_;
    postfix_->push_back("^");
  }
  void atom() {
    if (++depth_ > kDeepest) fail("fewer parentheses");
    const char c = peek();
    const std::size_t begin = at_;
    if (take('-')) {
      power();
      postfix_->push_back("negative");
    } else if (take('(')) {
      sum();
      if (!take(')')) fail("')'");
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      char* end = nullptr;
      std::strtod(text_.c_str() + begin, &end);
      at_ = static_cast<std::size_t>(end - text_.c_str());
      if (at_ == begin) fail("a number");
      postfix_->push_back(text_.substr(begin, at_ - begin));
    } else {
      if (!std::isalpha(static_cast<unsigned char>(c)) && c != '_') fail("a number or a name");
      while (at_ < text_.size() &&
             (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
        ++at_;
      postfix_->push_back(" " + text_.substr(begin, at_ - begin));
    }
    --depth_;
  }

  const std::string& text_;
  std::vector<std::string>* postfix_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::vector<std::string> varying_sizes(const Experiment& e) {
  std::map<std::string, std::set<double>> values;
  for (const ExperimentPoint& p : e.points)
    for (const auto& [name, value] : p.params) values[name].insert(value);
  std::vector<std::string> names;
  for (const auto& [name, set] : values)
    if (set.size() > 1) names.push_back(name);
  return names;
}

/// The k of 1, 2, 3 for which total compute time / n^k varies least over the points.
int best_power(const Experiment& e, const std::string& name) {
  int best = 1;
  double best_variance = INFINITY;
  for (int k = 1; k <= 3; ++k) {
    std::vector<double> logs;
    for (const ExperimentPoint& p : e.points) {
      const auto size = p.params.find(name);
      if (!p.parts.comp_s || p.parts.comp_s->value <= 0 || size == p.params.end() ||
          size->second <= 0)
        continue;
      logs.push_back(std::log(p.parts.comp_s->value * p.procs) - k * std::log(size->second));
    }
    double mean = 0;
    for (const double x : logs) mean += x / static_cast<double>(logs.size());
    double variance = 0;
    for (const double x : logs) variance += (x - mean) * (x - mean);
    if (logs.size() > 1 &&
        variance < 0.8 * best_variance) {  // a higher power must be clearly better
      best_variance = variance;
      best = k;
    }
  }
  return best;
}

}  // namespace

WorkExpression::WorkExpression(const std::string& text) : text_(text) {
  if (!text_.empty()) Parser(text_, &postfix_).parse();
  for (const std::string& item : postfix_)
    if (item.front() == ' ') names_.insert(item.substr(1));
}

double WorkExpression::degree(const std::map<std::string, double>& params) const {
  constexpr double kLnFactor = 0.01;
  std::map<std::string, double> larger = params;
  for (const std::string& name : names_) larger[name] *= std::exp(kLnFactor);
  return std::log(value(larger) / value(params)) / kLnFactor;
}

double WorkExpression::value(const std::map<std::string, double>& params) const {
  if (text_.empty()) return 1;
  std::vector<double> stack;
  for (const std::string& item : postfix_) {
    const char first = item.front();
    if (first == ' ') {
      const auto size = params.find(item.substr(1));
      if (size == params.end())
        throw InputError("work '" + text_ + "'",
                         "no problem size is called '" + item.substr(1) + "'");
      stack.push_back(size->second);
    } else if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') {
      stack.push_back(std::strtod(item.c_str(), nullptr));
    } else if (item == "negative") {
      stack.back() = -stack.back();
    } else {
      const double right = stack.back();
      stack.pop_back();
      double& left = stack.back();
      left = first == '+'   ? left + right
             : first == '-' ? left - right
             : first == '*' ? left * right
             : first == '/' ? left / right
                            : std::pow(left, right);
    }
  }
  if (!std::isfinite(stack.back()) || stack.back() <= 0)
    throw InputError("work '" + text_ + "'", "is not a positive number for these problem sizes");
  return stack.back();
}

WorkChoice choose_work(const Experiment& e, const std::string& text) {
  WorkChoice choice;
  std::string chosen = text;
  const std::vector<std::string> varying = varying_sizes(e);
  if (chosen.empty() && varying.size() == 1) {
    const int k = best_power(e, varying.front());
    chosen = varying.front() + (k > 1 ? "^" + std::to_string(k) : "");
    if (k > 1)
      choice.warnings.push_back("the work was taken as " + chosen +
                                ", which fits the compute time best; change it with --work");
  } else if (chosen.empty() && varying.size() > 1) {
    chosen = listed(varying, "*");
    choice.warnings.push_back("several problem sizes varied: the work was taken as " + chosen +
                              "; change it with --work");
  } else if (chosen.empty() && !e.points.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : e.points.front().params)
      if (value > 0) names.push_back(name);
    chosen = listed(names, "*");
  }
  choice.expression = WorkExpression(chosen);
  for (const ExperimentPoint& p : e.points)
    choice.at_points.push_back(choice.expression.value(p.params));
  return choice;
}

}  // namespace apmt
