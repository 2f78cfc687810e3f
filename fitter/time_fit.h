// Fits a law to the measured times of one part of a program.
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
  /// Whether the times may be free of noise. Numbers from a publication may not: if a closed form
  /// goes through a few of them, that is a coincidence of their digits.
  bool may_be_exact = true;
};

/// If all times are zero, so is the law. If a closed form reproduces the time to 1e-6 at every
/// point, with more points than free numbers, the time is free of noise (simulated or planted) and
/// the closed form is its law; the same holds for unit costs of counts. All other times are fitted
/// by quadrature. A zero among other values (nothing sampled) becomes half the smallest of them,
/// with an error of the same size.
TimeLaw fit_time(std::vector<FitPoint> points, const LawCatalog& catalog, TimeFitOptions options);

/// Seconds per unit of each feature of a law of kind kRecipe, from the posterior mean of level and
/// share.
void write_costs(TimeLaw* law);

}  // namespace apmt
