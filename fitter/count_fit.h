// Fits laws to counts. Counts are (nearly) free of noise, so simple laws fit exactly or hardly at
// all.
#pragma once

#include <vector>

#include "fitter/law_catalog.h"

namespace apmt {

enum class CountKind {
  kNeighbours,  // whole numbers exchanged between neighbours: process grids matter
  kWhole,       // whole numbers; a law is exact if it is within 1e-6 of each value + 1e-3 units
  kReal,        // real numbers; a law is exact if it is within 1e-6 of each value
};

/// All laws of the catalog that the points allow, weighted. No law has as many free numbers as
/// there are distinct points; none is negative between the smallest point and 1024 times the
/// largest.
///
/// A law that reproduces every point exactly rules out all that do not, and among exact laws only
/// those with the fewest free numbers are kept. Otherwise the weight of a law with k numbers is
///   exp(-complexity) * (SS + s0^2)^(-(n - k + 1) / 2),  SS = sum of squared relative residuals,
/// where n is the number of distinct points. This is the marginal likelihood with an unknown
/// scatter, whose prior has the weight of one observation of s0 = 1 %.
CountLaw fit_count(const std::vector<FitPoint>& points, const LawCatalog& catalog, CountKind kind);

/// The work D at `factor` times the largest P, by the power law of P through the first and the last
/// point; D of the last point if both have the same P. `points` are sorted by P.
double work_ahead(const std::vector<FitPoint>& points, double factor);

}  // namespace apmt
