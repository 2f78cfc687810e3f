// Chooses the process counts to show in tables and charts, given the profiled ones.
#pragma once

#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

/// Process counts from `low` to `high` that continue the pattern of the profiled counts: the
/// smallest profiled count times powers of two, cubes, squares, or products of 2, 3 and 5. Each is
/// at least `least_ratio` times the one before. Counts outside the pattern are left out, because
/// programs rarely run with them, and because laws that depend on the grid of processes jump there.
/// With a prime count, for example, even the squarest grid is a single row.
std::vector<int> counts_like_profiled(const Model& model, int low, int high, double least_ratio);

/// The counts that a report shows by default, up to 16 times the largest profiled one.
std::vector<int> default_procs(const Model& model);

/// The process counts at which to predict for a smooth curve: ascending, without duplicates,
/// including the profiled and the requested counts.
std::vector<int> curve_procs(const Model& model, const std::vector<int>& asked);

/// "powers of two": a name for the counts that curve_procs adds.
std::string curve_words(const Model& model);

}  // namespace apmt
