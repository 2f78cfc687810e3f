// Continues laws of accesses to memory beyond the profiled runs, where simulations with larger
// caches show what a process will find in its caches.
#pragma once

#include <vector>

#include "fitter/laws/law.h"

namespace apmt {

/// How the law of a count goes on where the work per process is smaller than at `points`. `ahead`
/// are the counts there, over all ranks; they are used in the order of falling work per process.
/// Laws that agree with `ahead` stay as they are; if there are any, the others are dropped.
/// Otherwise each law is replaced below the smallest work per process of the points: between two
/// counts, the count per unit of work is a power of the work per process, and beyond the last it is
/// constant.
CountLaw continued(CountLaw law, const std::vector<FitPoint>& points, std::vector<FitPoint> ahead);

/// Whether `continued` replaced the law beyond the points.
bool changes_ahead(const CountLaw& law, const std::vector<FitPoint>& points);

}  // namespace apmt
