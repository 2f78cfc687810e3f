// Laws of memory accesses, which change where a rank's data begin to fit into a cache.
#pragma once

#include <vector>

#include "fitter/law_catalog.h"

namespace apmt {

/// fit_count() where one law comes near all points. Otherwise a law for each range of the work per
/// process (two, or three with one point between them in which the data fit in part), each with one
/// free number; a range with one point is taken to grow as the work. Nothing is said about where
/// between two points one law ends: half way, geometrically. Without such a law, what fit_count()
/// says.
CountLaw fit_with_regimes(const std::vector<FitPoint>& points, const LawCatalog& catalog);

}  // namespace apmt
