// Fits laws to counts. Counts are (nearly) free of noise, so simple laws fit exactly or hardly at
// all.
#pragma once

#include <vector>

#include "fitter/laws/law_catalog.h"

namespace apmt {

/// What is counted. This decides which laws are exact: those that miss no value by more than 1e-6
/// of the value, plus 1e-3 for whole numbers.
enum class CountKind {
  kNeighbours,  // whole numbers, exchanged by neighbours: laws of process grids are tried, too
  kWhole,       // other calls, steps and bytes: of the laws of grids, only that of rows and columns
  kReal,        // real numbers
};

/// The likeliest laws of the catalog that the points allow, weighted. Each has fewer free numbers
/// (fitted coefficients) than there are distinct points. None is negative between the smallest
/// process count and 1024 times the largest.
///
/// If any law reproduces every point exactly, only such laws are kept, and of these only the ones
/// with the fewest free numbers. Otherwise the weight of a law with k free numbers is
///   exp(-complexity) * (SS + w s0^2)^(-(n - k + w) / 2),  SS = sum of squared relative residuals,
/// where n is the number of distinct points. This is the marginal likelihood with an unknown
/// scatter, whose prior has the weight of w = 4 observations of s0 = 0.5 %: a law that misses
/// counts by several percent is unlikely if another law comes much closer (bench/HISTORY.md: surer
/// laws of counts).
///
/// Whole numbers that no law reproduces exactly, at constant work, may depend on the data. One of
/// the many laws passes near them by chance, so only laws that miss them by at most 2 % and have
/// two points more than free numbers (if there are three) are kept. Local laws are added: powers of
/// P through the last point.
CountLaw fit_count(const std::vector<FitPoint>& points, const LawCatalog& catalog, CountKind kind);

/// Fits laws to memory accesses, which change where the data of a rank begin to fit into a cache.
/// Returns the result of fit_count() if one law is close to all points. Otherwise the points may
/// belong to several ranges of the work per process, because a rank's data fit into a cache in one
/// range and not in another. There are two ranges, or three with a single point in the middle one,
/// where part of the data fits into the cache. Each range gets a law with one free number; in a
/// range with one point, accesses are assumed to grow like the work. The data do not show where
/// between two points a range ends, so the geometric mean is used. If no such laws fit, returns the
/// result of fit_count().
CountLaw fit_with_regimes(const std::vector<FitPoint>& points, const LawCatalog& catalog);

/// The work D at `factor` times the largest P. It follows the power of P that passes through the
/// first and the last point; if both have the same P, it is D of the last point. `points` are
/// sorted by P.
double work_ahead(const std::vector<FitPoint>& points, double factor);

}  // namespace apmt
