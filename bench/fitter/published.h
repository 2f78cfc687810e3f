// Reads the published series of bench/series, and predicts them with chosen priors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fitter/times/recipe_nodes.h"

namespace apmt::bench {

constexpr std::size_t kTrained = 3;  // how many of the smallest counts are fitted, by default
constexpr double kFarthest = 16;     // predict up to this multiple of the largest fitted count

struct Point {
  int procs;
  double time_s;
};

struct Series {
  std::string name;  // code, case, machine
  std::string set;   // "development-1", "held-out-1", "development-2", "held-out-2"
  std::vector<Point> points;
  std::string code() const { return name.substr(0, name.find(' ')); }
};

/// The series of every set whose name contains `set`: "development" selects development-1 and
/// development-2. "all" selects every set. Sorted by the name of the series.
std::vector<Series> published_series(const std::string& set = "all");

/// The points to predict: those after the first `trained` points, up to kFarthest times the largest
/// fitted process count.
std::vector<Point> asked(const Series& series, std::size_t trained = kTrained);

/// Predicts total times from the first kTrained points of a series, with any priors.
class RecipeOfTotal {
 public:
  RecipeOfTotal(const Series& series, const RecipePriors& priors);
  Draws at(double procs) const;  // ln T

 private:
  double max_procs_;
  RecipeNodes nodes_;
};

}  // namespace apmt::bench
