// Which objects are mapped where, so that samples can be given to functions offline.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// Adds the loaded objects that the recording does not have yet. Ordinary context (takes the
/// loader's lock).
void record_modules(const Recording& recording);

}  // namespace apmt::rt
