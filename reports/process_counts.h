// Which process counts to show for a program, given the profiled ones.
#pragma once

#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

/// Counts of the same kind as the profiled ones, from `low` to `high`, each at least `least_ratio`
/// times the one before: the smallest profiled count times powers of two, cubes, squares, or
/// products of 2, 3 and 5. Laws that follow a grid of processes jump at counts such as primes,
/// where the squarest grid is a line. Programs do not run with such counts, so the charts do not
/// show them.
std::vector<int> counts_like_profiled(const Model& model, int low, int high, double least_ratio);

/// The counts that a report shows by default, up to 16 times the largest profiled one.
std::vector<int> default_procs(const Model& model);

/// The process counts to predict for smooth drawings: ascending, distinct, including the profiled
/// and requested ones.
std::vector<int> curve_procs(const Model& model, const std::vector<int>& asked);

/// "powers of two": a name for the counts that curve_procs adds.
std::string curve_words(const Model& model);

}  // namespace apmt
