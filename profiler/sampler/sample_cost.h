// What one sample costs: work of a known length, timed in pieces while it is being sampled.
#pragma once

#include "profiler/sampler/source.h"

namespace apmt::sampler {

/// A piece of integer work, some ten microseconds.
void spin_a_while();

/// Times pieces of work on the calling thread, which is being sampled at a short trial period;
/// those in which a sample arrived took longer. nullptr on success, otherwise why it is not known.
/// Async-signal-safe.
const char* time_samples(uint64_t (*samples_so_far)(), SampleCost* cost);

}  // namespace apmt::sampler
