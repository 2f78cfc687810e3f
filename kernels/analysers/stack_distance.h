// Locality: the histogram of LRU stack distances over lines of 64 bytes (AutoMatch paper, section
// III.C). An access misses a fully associative LRU cache if its distance is at least the number of
// lines of the cache; first accesses miss every cache. So one histogram gives the misses for any
// size.
//
// The stack contains all accesses in the stream, including those outside kernels and in earlier
// invocations; distances are counted for the running kernel. An access across two lines counts as
// an access to both; a copy or fill accesses each of its lines once.
//
// The histogram is exact, or comes from a sample of the lines, chosen by a hash of the line number
// (Waldspurger and others: SHARDS, 2015). In the latter case, its distances and counts are divided
// by the sample's share. Only one thread is followed, because the order of accesses matters.
// Memory: about 4.5 bytes per followed line, and histograms of at most 116 KiB per kernel. Limit:
// 4 GiB.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

/// Follows one line in 2^sample_log2.
std::unique_ptr<Analyser> make_stack_distance(unsigned sample_log2 = 0);

}  // namespace apmt::kernels
