// Work whose counts are known, to test whether counters count.
#pragma once

#include <cstdint>

namespace apmt {

/// Runs a loop of `rounds` rounds. Returns how many instructions that is; 0 if not known.
std::uint64_t count_down(std::uint64_t rounds);

/// Loads and stores that reach every level of memory: a small array repeatedly, then random places
/// in one larger than all caches. The result depends on all loads, so none can be optimised away.
std::uint64_t touch_memory();

}  // namespace apmt
