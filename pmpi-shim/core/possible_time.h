// Corrects and counts impossible times: negative ones, and a part of an operation that is longer
// than the operation. A single negative time would make an unsigned sum of times useless.
#pragma once

#include <stdint.h>

namespace apmt::shim {

/// Returns `ns`, limited to 0 .. `most_ns`. `odd` counts the corrections; it is changed atomically.
inline int64_t possible_time(int64_t ns, int64_t most_ns, uint64_t& odd) {
  if (ns >= 0 && ns <= most_ns) return ns;
  __atomic_fetch_add(&odd, 1, __ATOMIC_RELAXED);
  return ns < 0 ? 0 : most_ns;
}

}  // namespace apmt::shim
