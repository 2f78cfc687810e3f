// Measures the cost of one sample: times pieces of work of equal length while they are sampled.
#pragma once

#include "profiler/sampler/source.h"

namespace apmt::sampler {

/// Does a piece of integer work, which takes about ten microseconds.
void spin_a_while();

/// Measures the cost of a sample on the calling thread, which must be sampled with a short trial
/// period. It times pieces of work: pieces in which samples were taken take longer by the cost of
/// these samples. Returns nullptr on success, otherwise the reason why the cost is not known.
/// Async-signal-safe.
const char* time_samples(uint64_t (*samples_so_far)(), SampleCost* cost);

}  // namespace apmt::sampler
