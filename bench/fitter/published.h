// The published series of bench/series.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fitter/recipe.h"

namespace apmt::bench {

constexpr std::size_t kTrained = 3;  // the smallest process counts of each, where not said
constexpr double kFarthest = 16;     // times the largest of these is the last that is asked

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

/// Those of the sets that have `set` in their names ("development": both), or "all", by name.
std::vector<Series> published_series(const std::string& set = "all");

/// The points after the first `trained`, up to kFarthest.
std::vector<Point> asked(const Series& series, std::size_t trained = kTrained);

/// The prediction of a total by quadrature, with any priors.
class RecipeOfTotal {
 public:
  RecipeOfTotal(const Series& series, const RecipePriors& priors);
  LogMixture at(double procs) const;

 private:
  double max_procs_;
  RecipePosterior posterior_;
};

}  // namespace apmt::bench
