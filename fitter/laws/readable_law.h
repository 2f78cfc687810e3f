// A time as a function of the process count, in the form that people write: one or two terms.
#pragma once

#include <utility>
#include <vector>

#include "fitter/laws/law.h"

namespace apmt {

struct ReadableLaw {
  std::vector<LawTerm> terms;  // added, none negative; of P alone; none: zero
  double off = 0;              // largest relative difference from the times
};

/// Removes the terms that contribute less than 1/10,000 of the sum at every process count: they
/// would be printed with coefficients such as 1e-18.
void drop_negligible(std::vector<LawTerm>* terms, const std::vector<double>& procs);

using TimesByProcs = std::vector<std::pair<double, double>>;  // pairs of process count and seconds

/// The sum of these terms, each with a coefficient that is not negative, that has the smallest
/// relative differences from the times (in the least-squares sense), without negligible terms.
ReadableLaw nearest_sum(std::vector<LawTerm> terms, const TimesByProcs& times);

/// Tries c, then c P^i log2(P)^j with simple exponents, then c P^a, and returns the first form that
/// is within 5 % of all times. If none is, returns the nearest of these forms and of the sums of
/// two simple terms. Ignores times that are not positive.
ReadableLaw readable_law(const TimesByProcs& times);

}  // namespace apmt
