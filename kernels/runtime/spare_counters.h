// Counters for code that runs while its thread has no counters: this happens in a signal handler
// that interrupts the runtime before the thread has got its counters, or after it has given them
// back at its end. All threads share these counters.
#pragma once

#include <cstdint>

namespace apmt::kernels {

/// Allocates the counters at the first call; aborts the program if there is no memory.
std::uint64_t* spare_counters();

/// The counters; nullptr: they were never needed.
const std::uint64_t* spare_counters_used();

}  // namespace apmt::kernels
