// Which process counts to show for a program, given the profiled ones.
#pragma once

#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

/// Counts from `low` to `high` that continue the pattern of the profiled ones: the smallest of
/// these times powers of two, cubes, squares, or products of 2, 3 and 5. Each is at least
/// `least_ratio` times the one before. Counts outside the pattern are left out, because programs
/// rarely run with them and laws that depend on a grid of processes jump there: at a prime, the
/// squarest grid is a line.
std::vector<int> counts_like_profiled(const Model& model, int low, int high, double least_ratio);

/// The counts that a report shows by default, up to 16 times the largest profiled one.
std::vector<int> default_procs(const Model& model);

/// The process counts to predict so that curves look smooth: ascending, distinct, including the
/// profiled and requested ones.
std::vector<int> curve_procs(const Model& model, const std::vector<int>& asked);

/// "powers of two": a name for the counts that curve_procs adds.
std::string curve_words(const Model& model);

}  // namespace apmt
