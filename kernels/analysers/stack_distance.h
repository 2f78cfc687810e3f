// Locality: the histogram of LRU stack distances over lines of 64 bytes (AutoMatch paper, section
// III.C). An access misses a fully associative LRU cache if its distance is at least the number of
// lines of the cache; first accesses miss every cache. So one histogram gives the misses for any
// size.
//
// The stack contains all accesses in the stream of events, including those outside kernels and in
// earlier invocations; distances are counted for the running kernel. An access across two lines
// counts as an access to both; a copy or fill accesses each of its lines once.
//
// The histogram is exact, or comes from a sample of the lines, chosen by a hash of the line number
// (Waldspurger and others: SHARDS, 2015). Distances and counts from a sample are divided by the
// share of the lines that is in the sample. Only one thread is followed, because the order of
// accesses matters. Memory: about 4.5 bytes per followed line, and histograms of at most 116 KiB
// per kernel. Limit: 4 GiB.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

/// Follows one line in 2^sample_log2.
std::unique_ptr<Analyser> make_stack_distance(unsigned sample_log2 = 0);

}  // namespace apmt::kernels
