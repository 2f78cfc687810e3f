#include "fitter/runs/work_choice.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/input_error.h"

namespace apmt {
namespace {

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

std::string product(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "*") + name;
  return text;
}

}  // namespace

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
    chosen = product(varying);
    choice.warnings.push_back("several problem sizes varied: the work was taken as " + chosen +
                              "; change it with --work");
  } else if (chosen.empty() && !e.points.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : e.points.front().params)
      if (value > 0) names.push_back(name);
    chosen = product(names);
  }
  choice.expression = WorkExpression(chosen);
  for (const ExperimentPoint& p : e.points)
    choice.at_points.push_back(choice.expression.value(p.params));
  return choice;
}

}  // namespace apmt
