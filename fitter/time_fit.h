// From measured times of one part of a program to its law.
#pragma once

#include <string>
#include <vector>

#include "fitter/law_catalog.h"

namespace apmt {

struct TimeFitOptions {
  std::string prior = "leaf";  // name of a set of priors, recipe.h
  TimeLaw::SizeRule size_rule = TimeLaw::SizeRule::kNone;
  double linear_exponent = 0;
  std::vector<CountFamily> families;  // counts that may explain the time
  /// Whether the times can be free of noise. Numbers that somebody wrote down once cannot: that a
  /// closed form goes through a few of them is a coincidence of their digits.
  bool may_be_exact = true;
};

/// Zero everywhere stays zero. A time that a closed form reproduces to 1e-6 at every point, with
/// points to spare, is free of noise (a simulated or planted one): the closed form is its law; so
/// are the unit costs of counts that do the same. Anything else goes by the recipe. A zero among
/// other values (nothing sampled) becomes half the smallest of them with an error of its own size.
TimeLaw fit_time(std::vector<FitPoint> points, const LawCatalog& catalog, TimeFitOptions options);

/// Seconds per unit of each feature of a recipe's law, from the posterior mean of level and share.
void write_costs(TimeLaw* law);

}  // namespace apmt
