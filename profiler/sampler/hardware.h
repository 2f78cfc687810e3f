// The source that samples by overflows of hardware counters, which PAPI opens.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::sampler {

/// Records which events this process samples, and which it leaves to other processes. Must be
/// called after kHardware.measure_cost().
void describe_hardware(const rt::Recording& recording);

}  // namespace apmt::sampler
