// Fits a law to the measured times of one part of a program.
#pragma once

#include <string>
#include <vector>

#include "fitter/laws/law_catalog.h"
#include "fitter/laws/time_law.h"

namespace apmt {

struct TimeFitOptions {
  std::string prior = "leaf";  // name of a set of priors, recipe_priors.h
  TimeLaw::SizeRule size_rule = TimeLaw::SizeRule::kNone;
  double linear_exponent = 0;
  std::vector<CountFamily> families;  // counts that may explain the time
  /// Whether the times may be free of noise. Measured times never are: if a closed form passes
  /// exactly through a few of them, this is by chance, or because they were rounded.
  bool may_be_exact = true;
};

/// Whether a time with this scatter and sampling error (both relative) is free of noise.
inline bool is_free_of_noise(double rel_sigma, double rel_sampling) {
  return rel_sigma <= 1e-6 && rel_sampling <= 1e-3;
}

/// Fits a law to times.
/// - If all times are zero, so is the law.
/// - If the times have no measured noise (simulated, or made up for a test), and a closed form with
///   fewer free numbers than points meets every time to 1e-6, it is the law. Unit costs of counts
///   that meet all times in this way have priority over closed forms.
/// - All other times are fitted by quadrature. A zero among other values (no samples) is replaced
///   by half of the smallest other value, with an error of the same size.
TimeLaw fit_time(std::vector<FitPoint> points, const LawCatalog& catalog, TimeFitOptions options);

/// Sets the posterior shares of a kRecipe law's families of counts and of its costs of core and
/// memory, and the seconds per unit of each feature: the feature's share of the time at
/// the largest process count, divided by the feature's count there. Time and share are posterior
/// means (level L and share p of family C in recipe.h).
void write_costs(TimeLaw* law);

/// Adjusts the prior weight of plain laws to the program. Three or four points seldom tell a plain
/// law from a curve. But the kernels of one program are similar: if the others follow plain laws,
/// this one probably does, too. So for each kernel, the prior weight of plain laws becomes the
/// expected share of the program's kernels that follow plain laws, given the other kernels. A
/// single kernel keeps the prior weight.
void pool_plainness(const std::vector<TimeLaw*>& kernels);

}  // namespace apmt
