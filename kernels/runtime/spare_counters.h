// Counters for code that runs where a thread has none of its own: a signal handler that interrupts
// the runtime before a thread is set up, or behind its end. All threads share them.
#pragma once

#include <cstdint>

namespace apmt::kernels {

/// Takes memory the first time. Ends the program where there is none.
std::uint64_t* spare_counters();

/// Nothing where nobody needed them.
const std::uint64_t* spare_counters_used();

}  // namespace apmt::kernels
