// Continues laws of accesses to memory beyond the profiled runs, where simulations with larger
// caches show what a process will find in its caches.
#pragma once

#include <vector>

#include "fitter/laws/law.h"

namespace apmt {

/// Where the profiled runs end.
double least_work_per_process(const std::vector<FitPoint>& points);

/// The law of a count, given the counts `ahead` (over all ranks) on more processes. Laws that
/// disagree with them are dropped. If none is left, the law interpolates: the count per unit of
/// work is a function of the work per process, between two points a power of it, and constant
/// outside of all points.
CountLaw continued(CountLaw law, const std::vector<FitPoint>& points,
                   const std::vector<FitPoint>& ahead);

/// Whether `continued` has replaced the law.
bool changes_ahead(const CountLaw& law, const std::vector<FitPoint>& points);

}  // namespace apmt
