// Work with known counts, to test whether counters count.
#pragma once

#include <cstdint>

namespace apmt {

/// A loop of `rounds` rounds. Returns its number of instructions, 0 if that is not known.
std::uint64_t count_down(std::uint64_t rounds);

/// Loads and stores that hit every level: a small array repeatedly, then a random walk through one
/// larger than all caches. Returns a value that depends on all of them.
std::uint64_t touch_memory();

}  // namespace apmt
