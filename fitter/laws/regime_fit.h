// Fits laws to memory accesses, which change where the data of a rank begin to fit into a cache.
#pragma once

#include <vector>

#include "fitter/laws/law_catalog.h"

namespace apmt {

/// Returns the result of fit_count() if one law is close to all points. Otherwise the points may
/// belong to several ranges of the work per process, because a rank's data fit into a cache in one
/// range and not in another. There are two ranges, or three with a single point in the middle one,
/// where part of the data fits into the cache. Each range gets a law with one free number; in a
/// range with one point, accesses are assumed to grow like the work. The data do not show where
/// between two points a range ends, so the geometric mean is used. If no such laws fit, returns the
/// result of fit_count().
CountLaw fit_with_regimes(const std::vector<FitPoint>& points, const LawCatalog& catalog);

}  // namespace apmt
