// Laws of memory accesses. These change where the data of a rank begin to fit into a cache.
#pragma once

#include <vector>

#include "fitter/law_catalog.h"

namespace apmt {

/// If one law is close to all points, the result of fit_count(). Otherwise one law for each range
/// of the work per process, each with one free number. There are two ranges, or three with a single
/// point in the middle one, where part of the data fits. In a range with one point, accesses are
/// assumed to grow like the work. The data do not show where between two points a range ends: the
/// geometric mean is used. If no such law fits, the result of fit_count().
CountLaw fit_with_regimes(const std::vector<FitPoint>& points, const LawCatalog& catalog);

}  // namespace apmt
