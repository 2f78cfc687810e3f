// Corrects impossible times of an operation (negative, or longer than the whole operation) and
// counts them. Added to unsigned sums, they would spoil these permanently.
#pragma once

#include <stdint.h>

namespace apmt::shim {

/// `odd` counts the corrected times; atomic.
inline int64_t possible_time(int64_t ns, int64_t most_ns, uint64_t& odd) {
  if (ns >= 0 && ns <= most_ns) return ns;
  __atomic_fetch_add(&odd, 1, __ATOMIC_RELAXED);
  return ns < 0 ? 0 : most_ns;
}

}  // namespace apmt::shim
