// The published series of bench/series.
#pragma once

#include <cstddef>
#include <map>
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
  std::string set;  // "development" or "held-out"
  std::vector<Point> points;
};

std::map<std::string, Series> published_series();

/// What comes after the `trained` points, up to kFarthest.
std::vector<Point> asked(const Series& series, std::size_t trained = kTrained);

/// What the recipe says of a total, with any priors.
class RecipeOfTotal {
 public:
  RecipeOfTotal(const Series& series, const RecipePriors& priors);
  LogMixture at(double procs) const;

 private:
  double max_procs_;
  RecipePosterior posterior_;
};

}  // namespace apmt::bench
