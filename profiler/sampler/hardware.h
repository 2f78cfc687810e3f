// Sampling by overflow of hardware counters through PAPI.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::sampler {

/// Writes down which events are sampled, and those that this process leaves to others. After
/// kHardware.measure_cost().
void describe_hardware(const rt::Recording& recording);

}  // namespace apmt::sampler
