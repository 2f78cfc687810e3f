// What one sample costs: work of a known length, timed in pieces while it is being sampled.
#pragma once

#include "profiler/sampler/source.h"

namespace apmt::sampler {

/// A piece of integer work, some ten microseconds.
void spin_a_while();

/// Times pieces of work on the calling thread, which is being sampled at a short trial period;
/// those in which a sample arrived took longer. `take` fetches samples that arrive without a
/// signal. nullptr on success, otherwise why it is not known.
const char* time_samples(void (*take)(), SampleCost* cost);

}  // namespace apmt::sampler
