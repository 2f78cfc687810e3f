// Locality: the histogram of LRU stack distances over lines of 64 bytes (paper 000, section III.C).
// An access whose distance is at least the lines of a fully associative LRU cache misses it; first
// accesses miss every cache. So one histogram gives the misses of any size.
//
// The stack holds everything that the stream shows, also what runs outside kernels and in earlier
// invocations; distances are counted for the kernel that runs. An access over two lines is an
// access of both; a copy or fill accesses each of its lines once. Exact, or of a sample of lines
// chosen by a hash of their number (Waldspurger and others: SHARDS, 2015): distances among them and
// counts are scaled by the inverse share. Order matters: one thread is followed. Memory: 4 bytes a
// followed line and 4 to 8 bits; histograms of at most 54 KiB a kernel. Limit: 4 GiB.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

/// Follows one line of 2^sample_log2.
std::unique_ptr<Analyser> make_stack_distance(unsigned sample_log2 = 0);

}  // namespace apmt::kernels
