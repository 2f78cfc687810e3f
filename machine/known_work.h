// Work whose counts are known, to see whether counters count.
#pragma once

#include <cstdint>

namespace apmt {

/// A loop of `rounds` rounds. Returns the instructions that it takes, 0 where that is not known.
std::uint64_t count_down(std::uint64_t rounds);

/// Loads and stores that hit every level: a small array over and over, then a random walk through
/// one beyond all caches. Returns something that depends on it all.
std::uint64_t touch_memory();

}  // namespace apmt
