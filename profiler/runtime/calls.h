// The cost of recording MPI calls. The functions that record them are in the interface (runtime.h).
#pragma once

#include <stdint.h>

namespace apmt::rt {

/// Measures the cost of recording one MPI call: two clock readings and one table update.
uint64_t measure_call_cost_ns();

}  // namespace apmt::rt
