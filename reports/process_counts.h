// Which process counts to show of a program that was profiled at some.
#pragma once

#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

/// Counts of the kind that was profiled, from `low` to `high`, each at least `least_ratio` times
/// the one before: the smallest profiled times powers of two, cubes, squares, or products of 2, 3
/// and 5. Laws that follow a grid of processes jump at counts such as primes, where the squarest
/// grid is a line: no program is run there, and no picture shows them.
std::vector<int> counts_like_profiled(const Model& model, int low, int high, double least_ratio);

/// What a report shows unasked, to 16 times the largest profiled count.
std::vector<int> default_procs(const Model& model);

/// The process counts to predict so that the drawings are smooth: ascending, distinct, with those
/// profiled and asked for.
std::vector<int> curve_procs(const Model& model, const std::vector<int>& asked);

/// "powers of two", of the counts that curve_procs adds.
std::string curve_words(const Model& model);

}  // namespace apmt
