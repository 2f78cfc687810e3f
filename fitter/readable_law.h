// A time over process counts as people write it: one or two terms.
#pragma once

#include <utility>
#include <vector>

#include "fitter/law.h"

namespace apmt {

struct ReadableLaw {
  std::vector<LawTerm> terms;  // added, none negative; of P alone; none: zero
  double off = 0;              // largest relative difference from the times
};

/// Of c, c P^i log2(P)^j with simple exponents, and c P^a: the first that is within 5 % of all
/// `times` (process count, seconds). Where none is, the nearest of them and of the sums of two of
/// the simple ones. Times that are not positive are left out.
ReadableLaw readable_law(const std::vector<std::pair<double, double>>& times);

}  // namespace apmt
