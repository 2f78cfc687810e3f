// The pattern of the profiled process counts, and process counts that continue it.
#pragma once

#include <vector>

namespace apmt {

/// A pattern of process counts. The pattern of a campaign is the first of these that all its
/// process counts have.
enum class CountPattern {
  kDoublings,  // the smallest profiled count times a power of two
  kCubes,
  kSquares,
  kSmooth,  // products of 2, 3 and 5
};

/// Whether `count` is a whole number to the power of `exponent`.
bool is_power(int count, int exponent);

/// `profiled`: ascending and not empty, as for counts_like_profiled().
CountPattern pattern_of(const std::vector<int>& profiled);

/// Process counts from `low` to `high` that continue the pattern of the profiled counts. Each is at
/// least `least_ratio` times the one before. Counts outside the pattern are left out, because
/// programs rarely run with them, and because laws that depend on the grid of processes jump there.
/// With a prime count, for example, even the squarest grid is a single row.
std::vector<int> counts_like_profiled(const std::vector<int>& profiled, int low, int high,
                                      double least_ratio);

}  // namespace apmt
