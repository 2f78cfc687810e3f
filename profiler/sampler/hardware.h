// Sampling by overflow of hardware counters through PAPI.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::sampler {

/// Records which events are sampled, and which are left to other processes. To be called after
/// kHardware.measure_cost().
void describe_hardware(const rt::Recording& recording);

}  // namespace apmt::sampler
