// Times of one operation that cannot be (less than nothing, or more than it took in all) are made
// possible, and counted: sums of unsigned numbers would be wrong for good.
#pragma once

#include <stdint.h>

namespace apmt::shim {

/// `odd`: how many were not; atomic.
inline int64_t possible_time(int64_t ns, int64_t most_ns, uint64_t& odd) {
  if (ns >= 0 && ns <= most_ns) return ns;
  __atomic_fetch_add(&odd, 1, __ATOMIC_RELAXED);
  return ns < 0 ? 0 : most_ns;
}

}  // namespace apmt::shim
