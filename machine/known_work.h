// Work whose counts are known, to test whether counters count.
#pragma once

#include <cstdint>

namespace apmt {

/// Runs a loop `rounds` times. Returns the number of instructions executed; 0 if not known.
std::uint64_t count_down(std::uint64_t rounds);

/// Makes loads and stores that reach every level of memory: first in a small array repeatedly, then
/// at random places in an array larger than all caches. The result depends on all loads, so the
/// compiler cannot leave any of them out.
std::uint64_t touch_memory();

}  // namespace apmt
