// A time as a function of the process count, in the form that people write: one or two terms.
#pragma once

#include <utility>
#include <vector>

#include "fitter/law.h"

namespace apmt {

struct ReadableLaw {
  std::vector<LawTerm> terms;  // added, none negative; of P alone; none: zero
  double off = 0;              // largest relative difference from the times
};

/// The first of c, c P^i log2(P)^j with simple exponents, and c P^a that is within 5 % of all
/// `times` (process count, seconds). If none is, the nearest of these and of the sums of two simple
/// ones. Times that are not positive are left out.
ReadableLaw readable_law(const std::vector<std::pair<double, double>>& times);

}  // namespace apmt
