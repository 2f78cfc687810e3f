// Laws of memory accesses, which change where a rank's data begin to fit into a cache.
#pragma once

#include <vector>

#include "fitter/law_catalog.h"

namespace apmt {

/// The result of fit_count() if one law is close to all points. Otherwise one law for each range of
/// the work per process (two ranges, or three with one point between them in which part of the data
/// fits), each with one free number; a range with one point is assumed to grow as the work. The
/// data do not show where between two points a range ends: the geometric mean is used. If no such
/// law fits, the result of fit_count().
CountLaw fit_with_regimes(const std::vector<FitPoint>& points, const LawCatalog& catalog);

}  // namespace apmt
